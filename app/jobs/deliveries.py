"""Everything a delivery may ask for that is not a review of one head: close, re-run, push, installation, merge group's end.

Most of it ends in reviews that are enqueued with ids made from the delivery's, so that a job that is run again asks for
nothing twice.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import assert_never

from app.codec import decode
from app.edges.store import (
    IncidentRow,
    PullKey,
    drop_incident_pull,
    find_edges_of,
    find_incidents,
    find_pulls_with_removals,
    forget_installation,
    forget_parsed,
    forget_repository,
    forget_unlisted,
    is_newest,
    mark_incident_merged,
)
from app.effects import Incident, Performed
from app.jobs.sweep import sweep
from app.lineage.scheduled import repair_installation
from app.lineage.writer import LineageWriter
from app.ports import Forge, Pull
from app.requests import (
    CloseRequest,
    InstallationRequest,
    Job,
    MergeGroupRequest,
    PushRequest,
    Reason,
    RepairRequest,
    RerequestRequest,
    ReviewRequest,
    Superseded,
    SweepRequest,
    make_review,
)
from app.review.context import ReviewContext
from app.review.journal import quote
from app.review.publish import attempt_effect
from app.source.repo_files import Wanted, find_differences, find_wanted
from app.source.selection import choose_read
from app.words import Permanent, Repo, Transient

log = logging.getLogger(__name__)
#: our buttons; every other identifier would be somebody's mistake
RECHECK, CONFIRM, REJECT = "recheck", "confirm_edges", "reject_edges"


async def perform_other(context: ReviewContext, job: Job) -> None:
    request = job.request
    match request:
        case CloseRequest():
            await _close(context, job, request)
        case RerequestRequest():
            await _review_again(context, job, request)
        case PushRequest():
            await _review_after_push(context, job, request)
        case InstallationRequest():
            await _settle_installation(context, job, request)
        case RepairRequest():
            await repair_installation(context, job, request)
        case MergeGroupRequest():
            return  # destroyed: a review that still runs concludes a commit that nobody waits for any more
        case SweepRequest():
            await sweep(context, job, request)
        case ReviewRequest():
            raise TypeError("a review is run in steps of its own")
        case _:
            assert_never(request)


async def _close(context: ReviewContext, job: Job, request: CloseRequest) -> None:
    """Unmerged: its incidents no longer stand because of it. Merged anyway: they stay, and say so."""
    if not await context.store.run(is_newest, request.repo_id, request.pull, job.sequence):
        raise Superseded  # reopened meanwhile
    key = PullKey(request.installation_id, request.repo_id, request.pull)
    failed = [
        came.detail
        for row in await context.store.run(find_incidents, key)
        if (came := await _settle_incident(context, key, row, request)).outcome == "failed"
    ]
    if failed:
        raise Transient(f"{len(failed)} incidents could not be settled: {failed[0]}")


async def _settle_incident(context: ReviewContext, key: PullKey, row: IncidentRow, request: CloseRequest) -> Performed:
    if not request.merged:
        message = "closed without merging"
        came = await attempt_effect(
            lambda: context.ports.writes.resolve_incident(row.urn, row.own_url, message), row.urn, "incident"
        )
        if came.outcome in ("withdrawn", "already there"):
            await context.store.run(drop_incident_pull, key, row.urn)
        return came
    incident = decode(Incident, dict(row.content))
    said = f"**Merged anyway**: {row.own_url} was merged although this check was red."
    annotated = replace(incident, description=f"{incident.description}\n\n{said}")
    came = await attempt_effect(lambda: context.ports.writes.raise_incident(annotated), row.urn, "incident")
    if came.outcome != "failed":
        await context.store.run(mark_incident_merged, key, row.urn)
    return came


async def _review_again(context: ReviewContext, job: Job, request: RerequestRequest) -> None:
    """Somebody pressed Re-run or one of our buttons. For forks GitHub does not say which pull request: those with this head."""
    if request.action not in ("", RECHECK, CONFIRM, REJECT):
        raise Permanent(f"the button {request.action[:40]!r} is not one that this version knows")
    forge = context.forge(job)
    repo = await forge.fetch_repo(request.repo_id)
    if (group := _find_group(request)) is not None:
        await context.enqueue(group)
        return
    pulls = [await forge.fetch_pull(repo, number) for number in request.pulls]
    for pull in pulls or await forge.fetch_open_pulls(repo, request.head_sha):
        if request.action in (CONFIRM, REJECT):
            await _heed(context, job, request, pull)
        if pull.state == "open":
            await context.enqueue(_review_of(job, repo, pull, "rerequested"))


def _find_group(request: RerequestRequest) -> MergeGroupRequest | None:
    """The merge group whose check is asked for again: its branch is named after its base and the commit it starts from."""
    found = re.fullmatch(r"gh-readonly-queue/(.+)/pr-\d+-([0-9a-f]{40,64})", request.head_branch)
    if found is None:
        return None
    return MergeGroupRequest(
        delivery=f"{request.delivery}:group",
        installation_id=request.installation_id,
        repo_id=request.repo_id,
        repo_full_name=request.repo_full_name,
        head_sha=request.head_sha,
        base_sha=found[2],
        base_ref=found[1],
        again=True,
    )


async def _heed(context: ReviewContext, job: Job, request: RerequestRequest, pull: Pull) -> None:
    """Confirm or reject the edges that the pull request's reviews wrote, with all others of ours on the same entities.

    GitHub shows the buttons to whoever may write to the repository, and to nobody else.
    """
    rows = await context.store.run(find_edges_of, pull=(request.repo_id, pull.number))
    entities = {row.entity for row in rows if row.state != "stale"}
    said = f"by {request.sender or 'somebody'} on {request.repo_full_name} pull request {pull.number}"
    writer = LineageWriter(context.store, context.ports.writes, job.owner, request.installation_id)
    done = await (writer.confirm if request.action == CONFIRM else writer.reject)(entities, said)
    failed = [one for one in done if one.outcome in ("failed", "not allowed")]
    if failed:
        raise Transient(f"{len(failed)} edges could not be settled: {failed[0].detail}")


async def _review_after_push(context: ReviewContext, job: Job, request: PushRequest) -> None:
    """The default branch moved: readers may have come or gone, so open pull requests with removals are judged again."""
    forge = context.forge(job)
    pushed = await forge.fetch_repo(request.repo_id)
    now = await context.index(job).update(forge, pushed, choose_read)
    matters = await _is_sql_changed(forge, pushed, request.before, now)
    waiting = await context.store.run(find_pulls_with_removals, request.installation_id) if matters else ()
    for repo_id, number in waiting:
        try:
            repo = await forge.fetch_repo(repo_id)
            pull = await forge.fetch_pull(repo, number)
        except Permanent as error:  # its repository left: the others are judged all the same
            log.warning("pull request %s of repository %s is not judged again: %s", number, repo_id, quote(str(error)))
            continue
        if pull.state == "open":
            await context.enqueue(_review_of(job, repo, pull, "push"))
    await context.enqueue(RepairRequest(f"{request.delivery}:repair", request.installation_id, "push"))


async def _is_sql_changed(forge: Forge, repo: Repo, before: str, now: Wanted | None) -> bool:
    """Whether anything that a review reads differs from the commit before the push; yes where that cannot be told.

    What the index held is no measure: a review may have brought it up to date already.
    """
    if now is None or not before.strip("0"):
        return True
    try:
        listing = await forge.fetch_tree(repo, before)
    except Permanent:
        return True
    old = find_wanted(listing, choose_read(entry.path for entry in listing.entries))
    return listing.truncated or now.listing.truncated or bool(find_differences(old, now))


def _review_of(job: Job, repo: Repo, pull: Pull, reason: Reason) -> ReviewRequest:
    made = make_review(job.request.installation_id, repo, pull)
    return replace(made, delivery=f"{job.request.delivery}:{repo.id}:{pull.number}", reason=reason)


async def _settle_installation(context: ReviewContext, job: Job, request: InstallationRequest) -> None:
    """Data of what left goes; the SQL of what came is indexed, so that the first review need not wait for it."""
    if request.change == "deleted":
        await context.store.run(forget_installation, request.installation_id)
        await context.forget(request.installation_id)
        return
    for repo_id, _ in request.removed:
        await context.store.run(forget_repository, repo_id)
    if request.removed:
        await context.store.run(forget_parsed, request.installation_id)
    if request.change in ("created", "unsuspended") or request.added:
        only = None if request.change != "repositories" else frozenset(repo_id for repo_id, _ in request.added)
        await index_installation(context, job, only)
        await context.enqueue(RepairRequest(f"{request.delivery}:repair", request.installation_id, "install"))
    if request.change not in ("deleted", "suspended"):  # what was opened before, or could not be judged, is judged now
        await context.enqueue(SweepRequest(f"{request.delivery}:sweep", request.installation_id))


async def index_installation(context: ReviewContext, job: Job, only: frozenset[int] | None = None) -> None:
    """Brings the index of the installation's repositories up to date (`only` None: of all), and drops that of others.

    What cannot be read is skipped here: a review that needs it says so.
    """
    forge, index = context.forge(job), context.index(job)
    listed = await forge.fetch_repositories()
    await context.store.run(forget_unlisted, job.request.installation_id, frozenset(repo.id for repo in listed))
    for repo in listed:
        if only is None or repo.id in only:
            try:
                await index.update(forge, repo, choose_read)
            except Permanent as error:
                log.warning("repository %s cannot be indexed: %s", repo.id, quote(str(error)))
