"""How long anything is kept, and what goes with an installation or a repository that left. Everything that is deleted is here.

The library keeps finished jobs for ever. A delivery is known to be a duplicate as long as its job is there, so they stay for
`KEEP_DAYS`; dead letters stay until they are replayed or their installation leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

from app.edges.store import (
    Store,
    forget_installation,
    forget_parsed,
    forget_repository,
    forget_unlisted,
    purge_audit,
    purge_parsed,
    purge_texts,
)
from app.requests import InstallationRequest
from app.review.context import ReviewContext
from app.words import Repo

KEEP_DAYS: Final = 14
#: what people did
AUDIT_DAYS: Final = 400


class FinishedJobs(Protocol):
    """The queue, for its memory of what is done."""

    def delete_finished(self, before: datetime) -> int:
        """Jobs that succeeded or were cancelled before; how many. Blocks."""
        ...


def purge(store: Store, jobs: FinishedJobs, at: datetime) -> int:
    """What nobody asked for in `KEEP_DAYS` before `at`: finished jobs (how many), parsed SQL, texts of the index; and what people
    did longer ago than `AUDIT_DAYS`. Blocks.
    """
    before = at - timedelta(days=KEEP_DAYS)
    for purge_rows in (purge_parsed, purge_texts):
        with store.begin() as connection:
            purge_rows(connection, before=before.timestamp())
    with store.begin() as connection:
        purge_audit(connection, before=(at - timedelta(days=AUDIT_DAYS)).timestamp())
    return jobs.delete_finished(before)


async def forget_left(context: ReviewContext, request: InstallationRequest) -> None:
    """Everything about an installation that was deleted, or about repositories that it no longer includes."""
    if request.change == "deleted":
        await context.store.run(forget_installation, request.installation_id)
        await context.forget(request.installation_id)
        return
    for repo_id, _ in request.removed:
        await context.store.run(forget_repository, repo_id)
    if request.removed:
        await context.store.run(forget_parsed, request.installation_id)


async def forget_others(context: ReviewContext, installation_id: int, listed: Sequence[Repo]) -> None:
    """What the index holds of repositories that the installation does not list: their removal was never delivered."""
    await context.store.run(forget_unlisted, installation_id, frozenset(repo.id for repo in listed))
