"""Somebody pressed Re-run or one of our buttons: review again, after confirming or rejecting edges if that was the button."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.edges.store import AuditRow, EdgeRow, add_audit, load_edges_of, load_shown
from app.effects import Performed
from app.jobs.deliveries.again import make_again
from app.jobs.deliveries.merge_group import find_group
from app.lineage.writer import LineageWriter
from app.ports import Pull
from app.requests import Job, RerequestRequest
from app.review.context import ReviewContext
from app.words import Permanent, Transient

#: our buttons; every other identifier would be somebody's mistake
RECHECK, CONFIRM, REJECT = "recheck", "confirm_edges", "reject_edges"
SETTLED: Final = {CONFIRM: "confirmed", REJECT: "rejected, and never proposed again"}


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
    """Confirm or reject the edges that the pull request's checks tell of, whoever wrote them first, with all others of ours on
    the same entities. What came of it is kept, and the next check says it.

    GitHub shows the buttons to whoever may write to the repository, and to nobody else.
    """
    number = (request.repo_id, pull.number)
    rows = await context.store.run(load_edges_of, installation_id=request.installation_id)
    shown = await context.store.run(load_shown, number)
    own = [row for row in rows if row.pull == number or (row.upstream, row.downstream) in shown]
    entities = {row.entity for row in own if row.state != "stale"}
    who = request.sender or "somebody"
    sentence = f"by {who} on {request.repo_full_name} pull request {pull.number}"
    writer = LineageWriter(context.store, context.ports.writes, job.owner, request.installation_id)
    done = await (writer.confirm if request.action == CONFIRM else writer.reject)(entities, sentence)
    if failed := [one for one in done if one.outcome == "failed"]:
        raise Transient(f"{len(failed)} edges could not be settled: {failed[0].detail}")
    row = AuditRow(
        job.owner,
        pull.number,
        request.installation_id,
        request.repo_id,
        request.repo_full_name,
        pull.number,
        who,
        "confirm" if request.action == CONFIRM else "reject",
        _tell(request.action, own, done),
    )
    await context.store.run(add_audit, row)


def _tell(action: str, own: Sequence[EdgeRow], done: Sequence[Performed]) -> str:
    """What came of a press, without its end."""
    if refused := [one for one in done if one.outcome == "not allowed"]:
        return f"the catalog did not allow it ({refused[0].detail})"
    if not own:
        return "this check tells of no edge of Tether's, so nothing changed"
    if not done:
        return "none of these edges stands any more, so nothing changed"
    count = len({one.what for one in done})
    return f"{count} {'edge' if count == 1 else 'edges'} {SETTLED[action]}"
