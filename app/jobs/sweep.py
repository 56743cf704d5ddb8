"""What was lost is looked for, on start and every hour: deliveries that nobody took, heads that nobody judged, and pull requests
behind incidents that were closed without a word.

GitHub sends a delivery once. What failed can be asked for again for three days; what was never sent, or was lost in another
way, is found by looking at the open pull requests. Each installation is swept by a job of its own, in its own turn.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Final

from app.edges.store import CheckKey, load_check, load_head, load_incident_pulls
from app.jobs.retention import forget_others
from app.ports import Pull
from app.requests import Job, SweepRequest, make_close, make_review
from app.review.context import ReviewContext
from app.words import Permanent, Repo

log = logging.getLogger(__name__)
#: GitHub keeps deliveries for so long
DELIVERIES_KEPT: Final = timedelta(days=3)
#: a delivery that failed so often will not come through by being sent again
MOST_ATTEMPTS: Final = 5
#: reviews that one sweep of an installation asks for; GitHub takes 500 content-creating requests an hour, a review makes three
MOST_REVIEWS: Final = 100
#: pull requests of one repository that one sweep asks after because an incident still stands on them
MOST_CLOSED: Final = 50


async def sweep(context: ReviewContext, job: Job, request: SweepRequest) -> None:
    """Raises `Transient` and `Permanent` of GitHub."""
    if request.installation_id:
        await _sweep_installation(context, job, request)
        return
    await _redeliver(context)
    for installation_id in await context.ports.forges.fetch_installations():
        await context.enqueue(SweepRequest(f"{request.delivery}:{installation_id}", installation_id))


async def _redeliver(context: ReviewContext) -> None:
    since = datetime.now(UTC) - DELIVERIES_KEPT
    try:
        failed = await context.ports.forges.fetch_failed_deliveries(since=since, attempts=MOST_ATTEMPTS)
    except Permanent as error:  # a server without this list: the open pull requests are still looked at
        log.warning("failed deliveries cannot be listed: %s", error)
        return
    for delivery_id in failed:
        try:
            await context.ports.forges.redeliver(delivery_id)
        except Permanent as error:  # it is older than GitHub keeps it, or the hook has changed
            log.warning("delivery %s cannot be asked for again: %s", delivery_id, error)
    if failed:
        log.info("sweep: asked for %s failed deliveries again", len(failed))


async def _sweep_installation(context: ReviewContext, job: Job, request: SweepRequest) -> None:
    forge = context.forge(job)
    listed = await forge.fetch_repositories()
    await forget_others(context, request.installation_id, listed)
    found: list[tuple[Repo, Pull]] = []
    held = await context.store.run(load_incident_pulls, request.installation_id)
    for repo in listed:
        try:
            pulls = await forge.fetch_open_pulls(repo)
            numbers = {pull.number for pull in pulls}
            gone = [number for repo_id, number in held if repo_id == repo.id and number not in numbers]
            closed = [await forge.fetch_pull(repo, number) for number in gone[:MOST_CLOSED]]
        except Permanent as error:  # an archived or blocked repository keeps nobody else waiting
            log.warning("the pull requests of repository %s cannot be listed: %s", repo.id, error)
            continue
        for pull in closed:
            if pull.state == "closed":
                await context.enqueue(make_close(request.installation_id, repo, pull))
        found += [(repo, pull) for pull in pulls if await _fetch_unjudged(context, request, repo, pull)]
    found.sort(key=lambda one: one[1].updated_at, reverse=True)
    for repo, pull in found[:MOST_REVIEWS]:
        await context.enqueue(make_review(request.installation_id, repo, pull))
    if found:
        left = max(0, len(found) - MOST_REVIEWS)
        log.info("sweep: %s heads without a verdict, %s left for the next one", len(found), left)


async def _fetch_unjudged(context: ReviewContext, request: SweepRequest, repo: Repo, pull: Pull) -> bool:
    """Whether the head has no verdict, and no job is on its way to one."""
    check = await context.store.run(
        load_check, CheckKey(request.installation_id, repo.id, pull.head_sha, context.check_name)
    )
    # A head that was left and came back carries the end of a job that had been superseded.
    if check is not None and check.concluded and check.conclusion != "cancelled":
        return False
    head = await context.store.run(load_head, repo.id, pull.number)
    return head is None or head.head_sha != pull.head_sha or head.closed or not await context.is_alive(head.delivery)
