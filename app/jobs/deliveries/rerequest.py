"""Somebody pressed Re-run or one of our buttons: review again, after confirming or rejecting edges if that was the button."""

from __future__ import annotations

from app.edges.store import load_edges_of
from app.jobs.deliveries.again import make_again
from app.jobs.deliveries.merge_group import find_group
from app.lineage.writer import LineageWriter
from app.ports import Pull
from app.requests import Job, RerequestRequest
from app.review.context import ReviewContext
from app.words import Permanent, Transient

#: our buttons; every other identifier would be somebody's mistake
RECHECK, CONFIRM, REJECT = "recheck", "confirm_edges", "reject_edges"


async def review_again(context: ReviewContext, job: Job, request: RerequestRequest) -> None:
    """For forks GitHub does not say which pull request: those with this head."""
    if request.action not in ("", RECHECK, CONFIRM, REJECT):
        raise Permanent(f"the button {request.action[:40]!r} is not one that this version knows")
    forge = context.forge(job)
    repo = await forge.fetch_repo(request.repo_id)
    if (group := find_group(request)) is not None:
        await context.enqueue(group)
        return
    pulls = [await forge.fetch_pull(repo, number) for number in request.pulls]
    for pull in pulls or await forge.fetch_open_pulls(repo, request.head_sha):
        if request.action in (CONFIRM, REJECT):
            await _settle_edges(context, job, request, pull)
        if pull.state == "open":
            await context.enqueue(make_again(job, repo, pull, "rerequested"))


async def _settle_edges(context: ReviewContext, job: Job, request: RerequestRequest, pull: Pull) -> None:
    """Confirm or reject the edges that the pull request's reviews wrote, with all others of ours on the same entities.

    GitHub shows the buttons to whoever may write to the repository, and to nobody else.
    """
    rows = await context.store.run(load_edges_of, pull=(request.repo_id, pull.number))
    entities = {row.entity for row in rows if row.state != "stale"}
    sentence = f"by {request.sender or 'somebody'} on {request.repo_full_name} pull request {pull.number}"
    writer = LineageWriter(context.store, context.ports.writes, job.owner, request.installation_id)
    done = await (writer.confirm if request.action == CONFIRM else writer.reject)(entities, sentence)
    failed = [one for one in done if one.outcome in ("failed", "not allowed")]
    if failed:
        raise Transient(f"{len(failed)} edges could not be settled: {failed[0].detail}")
