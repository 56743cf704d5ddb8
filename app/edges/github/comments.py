"""The one comment of a pull request: found by its marker AND its author (anyone can paste a marker), made once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.edges.github.checks import fit
from app.edges.github.shapes import field
from app.edges.github.wire import GitHubWire, NotThere, read_json

NEEDS: Final = "pull requests: write"
#: GitHub: 65,536 characters, then 422; in bytes it holds for every way of counting
_BODY_BYTES: Final = 65_536


async def fetch_comment(
    wire: GitHubWire, full_name: str, pull: int, marker: str, *, app_id: int, login: str
) -> tuple[int, str] | None:
    """The oldest comment of ours. Later ones, left by a job that died before it could note the first, are deleted."""
    comments = await wire.pages(
        f"/repos/{full_name}/issues/{pull}/comments", "list the comments", needs="pull requests: read"
    )
    own = [comment for comment in comments if is_ours(comment, marker, app_id, login)]
    if not own:
        return None
    first, *rest = sorted(own, key=lambda comment: int(field(comment, "id")))
    for duplicate in rest:
        await _delete(wire, full_name, int(field(duplicate, "id")))
    return int(field(first, "id")), str(first.get("body") or "")


async def create_comment(wire: GitHubWire, full_name: str, pull: int, body: str) -> int:
    """The new comment's id."""
    owner, _, repo = full_name.partition("/")
    answer = await wire.create(
        lambda headers: wire.github.rest.issues.async_create_comment(
            owner, repo, pull, headers=headers, data={"body": fit(body, _BODY_BYTES)}
        ),
        "comment on the pull request",
        needs=NEEDS,
    )
    return int(field(read_json(answer, "comment on the pull request"), "id"))


async def update_comment(wire: GitHubWire, full_name: str, comment_id: int, body: str) -> None:
    """Raises Gone when somebody deleted it."""
    owner, _, repo = full_name.partition("/")
    await wire.write(
        lambda headers: wire.github.rest.issues.async_update_comment(
            owner, repo, comment_id, headers=headers, data={"body": fit(body, _BODY_BYTES)}
        ),
        "update the comment",
        needs=NEEDS,
    )


async def _delete(wire: GitHubWire, full_name: str, comment_id: int) -> None:
    owner, _, repo = full_name.partition("/")
    try:
        await wire.write(
            lambda headers: wire.github.rest.issues.async_delete_comment(owner, repo, comment_id, headers=headers),
            "delete a repeated comment",
            needs=NEEDS,
        )
    except NotThere:
        return  # somebody was faster: gone is what was wanted


def is_ours(comment: Mapping[str, Any], marker: str, app_id: int, login: str) -> bool:
    """Whether the App wrote it, with the marker at its start."""
    if not str(comment.get("body") or "").startswith(marker):
        return False
    via = comment.get("performed_via_github_app")
    if isinstance(via, Mapping) and "id" in via:
        return bool(via["id"] == app_id)
    author = comment.get("user")
    return isinstance(author, Mapping) and author.get("type") == "Bot" and author.get("login") == login
