"""A suggestion on lines of a pull request: a review comment, made once, found again by its marker and its author."""

from __future__ import annotations

from typing import Any, Final, Literal

from app.edges.github.comments import NEEDS, is_ours
from app.edges.github.wire import GitHubWire
from app.effects import Suggestion

_WHAT: Final = "suggest a change of the pull request"


async def ensure_suggestion(
    wire: GitHubWire,
    full_name: str,
    pull: int,
    head_sha: str,
    suggestion: Suggestion,
    *,
    app_id: int,
    login: str,
    earlier: Literal["no", "maybe"] = "maybe",
) -> None:
    """Nothing where ours stands already, on this head or an earlier one; `earlier` "no" saves looking for it."""
    if earlier == "maybe":
        comments = await wire.pages(
            f"/repos/{full_name}/pulls/{pull}/comments", "list the review comments", needs="pull requests: read"
        )
        if any(is_ours(comment, suggestion.marker, app_id, login) for comment in comments):
            return
    body: Any = {  # githubkit checks it at run time
        "body": suggestion.body,
        "commit_id": head_sha,
        "path": suggestion.path,
        "line": suggestion.last,
        "side": "RIGHT",
    }
    if suggestion.first < suggestion.last:
        body |= {"start_line": suggestion.first, "start_side": "RIGHT"}
    owner, _, repo = full_name.partition("/")
    await wire.create(
        lambda headers: wire.github.rest.pulls.async_create_review_comment(
            owner, repo, pull, headers=headers, data=body
        ),
        _WHAT,
        needs=NEEDS,
    )
