"""Endpoints of pull requests, their comments and their merge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.standin.github import pulling
from app.standin.github.errors import invalid, malformed, not_found
from app.standin.github.git_diff import commits_between, find_changes
from app.standin.github.limits import check_comment_body
from app.standin.github.merging import MergeAsk, compute_mergeable, measure, pull_base
from app.standin.github.pulling import Opening
from app.standin.github.records import Comment, PullRecord
from app.standin.github.routing import Endpoint, Reply, RestCall, paged
from app.standin.github.shapes_accounts import repo_url
from app.standin.github.shapes_git import change_json, commit_json
from app.standin.github.shapes_pulls import comment_json, full_pull_json, issue_json, pull_json


def _list(call: RestCall) -> Reply:
    query = call.query
    state, head, base = query.get("state", "open"), query.get("head"), query.get("base")
    found = [
        pull
        for pull in call.state.pulls_of(call.repo)
        if state in ("all", pull.state)
        and (base is None or pull.base_ref == base)
        and (not head or f"{pull.head_owner.login}:{pull.head_ref}".lower() == head.lower() or ":" not in head)
    ]
    keys: dict[str, Callable[[PullRecord], Any]] = {"updated": lambda p: (p.updated_at, p.number)}
    found.sort(key=keys.get(query.get("sort", "created"), lambda p: p.number))
    if query.get("direction", "desc" if query.get("sort", "created") == "created" else "asc") == "desc":
        found.reverse()
    return paged(call, found, lambda pull: pull_json(call.state, pull))


def _pull(call: RestCall) -> PullRecord:
    return call.state.pull(call.repo, call.number("number"))


def _get(call: RestCall) -> Reply:
    """Right after a push GitHub may still answer the old head: `stale_reads` times here, when a test asked for it."""
    pull, stale = _pull(call), None
    if pull.stale_reads > 0:
        with call.state.lock:
            pull.stale_reads -= 1
            stale = pull.stale_head
    measured = measure(call.state, pull, mergeable=compute_mergeable(call.state, pull))
    return Reply(full_pull_json(call.state, pull, measured, head_sha=stale))


def _open(call: RestCall) -> Reply:
    """`head` is a branch, or `owner:branch` of a fork."""
    texts = _texts(call, "title", "head", "base", "body")
    missing = [f'"{name}"' for name in ("title", "head", "base") if texts[name] is None]
    if missing:
        raise malformed(f"{', '.join(missing)} wasn't supplied.")
    owner, colon, branch = str(texts["head"]).rpartition(":")
    named = (r for r in call.state.network(call.repo) if r.owner.login.lower() == owner.lower())
    source = next(named, None) if colon else call.repo
    if source is None:
        raise invalid("PullRequest", "head", "invalid")
    draft = call.body.get("draft") is True
    opening = Opening(
        call.repo, source, branch, str(texts["base"]), str(texts["title"]), texts["body"], call.actor, draft
    )
    pull = pulling.open_pull(call.state, call.events, opening)
    return Reply(full_pull_json(call.state, pull, measure(call.state, pull)), 201)


def _edit(call: RestCall) -> Reply:
    pull, texts = _pull(call), _texts(call, "title", "body", "base", "state")
    if texts["state"] not in (None, "open", "closed"):
        raise invalid("PullRequest", "state", "invalid")
    changes = {"title": texts["title"], "body": texts["body"], "base": texts["base"]}
    pulling.edit_pull(call.state, call.events, pull, call.actor, **changes)
    if texts["state"] == "closed":
        pulling.close_pull(call.state, call.events, pull, call.actor)
    elif texts["state"] == "open" and pull.state == "closed":
        pulling.reopen_pull(call.state, call.events, pull, call.actor)
    return Reply(full_pull_json(call.state, pull, measure(call.state, pull)))


def _texts(call: RestCall, *names: str) -> dict[str, str | None]:
    found = {name: call.body.get(name) for name in names}
    for name, text in found.items():
        if text is not None and not isinstance(text, str):
            raise malformed(f"For 'properties/{name}', that is not a string.")
    return found


def _files(call: RestCall) -> Reply:
    pull, limits = _pull(call), call.state.limits
    git = call.state.git(call.repo)
    changes = find_changes(git, pull_base(call.state, pull), pull.head_sha, patch_bytes=limits.patch_bytes)
    return paged(call, changes[: limits.pull_files], lambda c: change_json(call.state, call.repo, c, pull.head_sha))


def _commits(call: RestCall) -> Reply:
    pull, git = _pull(call), call.state.git(call.repo)
    shas = commits_between(git, pull.base_sha, pull.head_sha)[: call.state.limits.compare_commits]
    return paged(call, git.commits(shas), lambda commit: commit_json(call.state, call.repo, commit))


def _pulls_of_commit(call: RestCall) -> Reply:
    sha = str(call.params["sha"])
    found = [p for p in call.state.pulls_of(call.repo) if sha in (p.head_sha, p.merge_commit_sha)]
    return paged(call, found, lambda pull: pull_json(call.state, pull))


def _merge(call: RestCall) -> Reply:
    body = call.body
    texts = _texts(call, "sha", "commit_title", "commit_message")
    method = str(body.get("merge_method", "merge"))
    ask = MergeAsk(texts["sha"], method, texts["commit_title"], texts["commit_message"])
    sha = pulling.merge(call.state, call.events, _pull(call), call.actor, ask)
    return Reply({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


def _issue(call: RestCall) -> Reply:
    return Reply(issue_json(call.state, _pull(call)))


def _comments(call: RestCall) -> Reply:
    pull = _pull(call)
    return paged(call, call.state.comments_on(call.repo, pull.number), lambda c: comment_json(call.state, c))


def _comment(call: RestCall) -> Comment:
    found = call.state.comments.get(call.number("id"))
    if found is None or found.repo is not call.repo:
        raise not_found()
    return found


def _get_comment(call: RestCall) -> Reply:
    return Reply(comment_json(call.state, _comment(call)))


def _post_comment(call: RestCall) -> Reply:
    pull, text = _pull(call), check_comment_body(call.body)
    comment = pulling.add_comment(call.state, call.events, pull, call.actor, text, call.via_app)
    location = f"{repo_url(call.state, call.repo)}/issues/comments/{comment.id}"
    return Reply(comment_json(call.state, comment), 201, {"Location": location})


def _patch_comment(call: RestCall) -> Reply:
    comment, text = _comment(call), check_comment_body(call.body)
    before, comment.body, comment.updated_at = comment.body, text, call.state.now()
    call.events.issue_comment("edited", comment, call.actor, changes={"body": {"from": before}})
    return Reply(comment_json(call.state, comment))


def _delete_comment(call: RestCall) -> Reply:
    comment = _comment(call)
    del call.state.comments[comment.id]
    call.events.issue_comment("deleted", comment, call.actor)
    return Reply(None, 204)


_READ, _WRITE = ("pull_requests=read",), ("pull_requests=write",)
_TALK = ("pull_requests=read", "issues=read")
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{id:int}"
ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/pulls", _list, _READ),
    Endpoint("POST", "/repos/{owner}/{repo}/pulls", _open, _WRITE),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}", _get, _READ),
    Endpoint("PATCH", "/repos/{owner}/{repo}/pulls/{number:int}", _edit, _WRITE),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}/files", _files, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}/commits", _commits, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{sha}/pulls", _pulls_of_commit, _READ),
    Endpoint("PUT", "/repos/{owner}/{repo}/pulls/{number:int}/merge", _merge, ("contents=write",)),
    Endpoint("GET", "/repos/{owner}/{repo}/issues/{number:int}", _issue, _TALK),
    Endpoint("GET", "/repos/{owner}/{repo}/issues/{number:int}/comments", _comments, _TALK),
    # For a pull request issues=write alone does not suffice (github/rest-api-description#6994).
    Endpoint("POST", "/repos/{owner}/{repo}/issues/{number:int}/comments", _post_comment, _WRITE),
    Endpoint("GET", _COMMENT, _get_comment, _TALK),
    Endpoint("PATCH", _COMMENT, _patch_comment, _WRITE),
    Endpoint("DELETE", _COMMENT, _delete_comment, _WRITE),
)
