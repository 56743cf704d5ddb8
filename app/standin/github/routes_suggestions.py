"""Endpoints of review comments: remarks on lines of a pull request's diff, refused on lines that are not in it."""

from __future__ import annotations

import re
from typing import Any

from app.standin.github.errors import invalid, malformed
from app.standin.github.git_diff import find_changes
from app.standin.github.limits import check_comment_body
from app.standin.github.merging import pull_base
from app.standin.github.records import PullRecord, ReviewComment
from app.standin.github.routing import Endpoint, Reply, RestCall, paged
from app.standin.github.shapes_pulls import review_comment_json

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.M)


def _list(call: RestCall) -> Reply:
    pull = call.state.pull(call.repo, call.number("number"))
    found = [c for c in list(call.state.review_comments.values()) if c.repo is call.repo and c.number == pull.number]
    return paged(call, found, lambda comment: review_comment_json(call.state, comment))


def _post(call: RestCall) -> Reply:
    pull, text = call.state.pull(call.repo, call.number("number")), check_comment_body(call.body)
    path, line, start = call.body.get("path"), call.body.get("line"), call.body.get("start_line")
    if not isinstance(path, str) or not isinstance(line, int) or not isinstance(start, int | None):
        raise malformed("For 'properties/line', that is not an integer.")
    if call.body.get("commit_id") != pull.head_sha:
        raise invalid("PullRequestReviewComment", "commit_id", "custom", "commit_id is not part of the pull request")
    lines = _lines_of(call, pull, path)
    if line not in lines or (start is not None and (start not in lines or start >= line)):
        raise invalid(
            "PullRequestReviewComment", "line", "custom", "pull_request_review_thread.line must be part of the diff"
        )
    now = call.state.now()
    number = call.state.next_id("review_comment")
    comment = ReviewComment(number, call.repo, pull.number, call.actor, text, path, line, start, now, call.via_app)
    call.state.review_comments[comment.id] = comment
    pull.updated_at = now
    return Reply(review_comment_json(call.state, comment), 201)


def _lines_of(call: RestCall, pull: PullRecord, path: str) -> frozenset[int]:
    """The lines of the head's side that the diff shows."""
    git, limits = call.state.git(call.repo), call.state.limits
    changes: Any = find_changes(git, pull_base(call.state, pull), pull.head_sha, patch_bytes=limits.patch_bytes)
    patch = next((change.patch for change in changes if change.path == path), None)
    found: set[int] = set()
    for hunk in _HUNK.finditer(patch or ""):
        first, count = int(hunk[1]), int(hunk[2] or "1")
        found |= set(range(first, first + count))
    return frozenset(found)


ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}/comments", _list, ("pull_requests=read",)),
    Endpoint("POST", "/repos/{owner}/{repo}/pulls/{number:int}/comments", _post, ("pull_requests=write",)),
)
