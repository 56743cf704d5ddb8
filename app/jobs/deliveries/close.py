"""A pull request was closed: its incidents no longer stand because of it, or, merged anyway, stay and say so.

Reviews that wait or run for it end by themselves: the close is the newest event of the pull request.
"""

from __future__ import annotations

from app.edges.store import load_is_newest
from app.requests import CloseRequest, Job, Superseded
from app.review.context import ReviewContext
from app.review.incidents import settle_incidents
from app.words import Transient


async def close(context: ReviewContext, job: Job, request: CloseRequest) -> None:
    if not await context.store.run(load_is_newest, request.repo_id, request.pull, job.sequence):
        raise Superseded  # reopened meanwhile
    failed = [came.detail for came in await settle_incidents(context, request) if came.outcome == "failed"]
    if failed:
        raise Transient(f"{len(failed)} incidents could not be settled: {failed[0]}")
