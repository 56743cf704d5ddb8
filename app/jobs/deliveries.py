"""Everything a delivery may ask for that is not a review of one head: close, re-run, push, installation, merge group's end.

Most of it ends in reviews that are enqueued with ids made from the delivery's, so that a chore that is run again asks for
nothing twice.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import assert_never

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
from app.requests import make_review
from app.lineage.scheduled import repair_installation
from app.lineage.writer import Scribe
from app.source.selection import choose_read
from app.ports import Forge, Pull
from app.requests import (
    CloseRequest,
    InstallationRequest,
    MergeGroupRequest,
    PushRequest,
    Reason,
    RepairRequest,
    RerequestRequest,
    ReviewRequest,
    SweepRequest,
)
from app.review import checkpoint
from app.review.context import Desk
from app.review.journal import quote
from app.review.publish import attempt_effect
from app.review.ticket import Superseded, Ticket
from app.source.repo_files import Wanted, find_differences, find_wanted
from app.words import Permanent, Repo, Transient

log = logging.getLogger(__name__)
#: our buttons; every other identifier would be somebody's mistake
RECHECK, CONFIRM, REJECT = "recheck", "confirm_edges", "reject_edges"


async def do_chore(desk: Desk, ticket: Ticket) -> None:
    request = ticket.request
    match request:
        case CloseRequest():
            await _close(desk, ticket, request)
        case RerequestRequest():
            await _review_again(desk, ticket, request)
        case PushRequest():
            await _review_after_push(desk, ticket, request)
        case InstallationRequest():
            await _settle_installation(desk, ticket, request)
        case RepairRequest():
            await repair_installation(desk, ticket, request)
        case MergeGroupRequest():
            return  # destroyed: a review that still runs concludes a commit that nobody waits for any more
        case SweepRequest():
            await sweep(desk, ticket, request)
        case ReviewRequest():
            raise TypeError("a review is not a chore")
        case _:
            assert_never(request)


async def _close(desk: Desk, ticket: Ticket, request: CloseRequest) -> None:
    """Unmerged: its incidents no longer stand because of it. Merged anyway: they stay, and say so."""
    if not await desk.store.run(is_newest, request.repo_id, request.pull, ticket.sequence):
        raise Superseded  # reopened meanwhile
    key = PullKey(request.installation_id, request.repo_id, request.pull)
    failed = [
        came.detail
        for row in await desk.store.run(find_incidents, key)
        if (came := await _settle_incident(desk, key, row, request)).outcome == "failed"
    ]
    if failed:
        raise Transient(f"{len(failed)} incidents could not be settled: {failed[0]}")


async def _settle_incident(desk: Desk, key: PullKey, row: IncidentRow, request: CloseRequest) -> Performed:
    if not request.merged:
        message = "closed without merging"
        came = await attempt_effect(
            lambda: desk.ports.writes.resolve_incident(row.urn, row.own_url, message), row.urn, "incident"
        )
        if came.outcome in ("withdrawn", "already there"):
            await desk.store.run(drop_incident_pull, key, row.urn)
        return came
    incident = checkpoint.from_json(Incident, dict(row.content))
    said = f"**Merged anyway**: {row.own_url} was merged although this check was red."
    annotated = replace(incident, description=f"{incident.description}\n\n{said}")
    came = await attempt_effect(lambda: desk.ports.writes.raise_incident(annotated), row.urn, "incident")
    if came.outcome != "failed":
        await desk.store.run(mark_incident_merged, key, row.urn)
    return came


async def _review_again(desk: Desk, ticket: Ticket, request: RerequestRequest) -> None:
    """Somebody pressed Re-run or one of our buttons. For forks GitHub does not say which pull request: those with this head."""
    if request.action not in ("", RECHECK, CONFIRM, REJECT):
        raise Permanent(f"the button {request.action[:40]!r} is not one that this version knows")
    forge = desk.forge(ticket)
    repo = await forge.fetch_repo(request.repo_id)
    if (group := _find_group(request)) is not None:
        await desk.enqueue(group)
        return
    pulls = [await forge.fetch_pull(repo, number) for number in request.pulls]
    for pull in pulls or await forge.fetch_open_pulls(repo, request.head_sha):
        if request.action in (CONFIRM, REJECT):
            await _heed(desk, ticket, request, pull)
        if pull.state == "open":
            await desk.enqueue(_review_of(ticket, repo, pull, "rerequested"))


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


async def _heed(desk: Desk, ticket: Ticket, request: RerequestRequest, pull: Pull) -> None:
    """Confirm or reject the edges that the pull request's reviews wrote, with all others of ours on the same entities.

    GitHub shows the buttons to whoever may write to the repository, and to nobody else.
    """
    rows = await desk.store.run(find_edges_of, pull=(request.repo_id, pull.number))
    entities = {row.entity for row in rows if row.state != "stale"}
    said = f"by {request.sender or 'somebody'} on {request.repo_full_name} pull request {pull.number}"
    scribe = Scribe(desk.store, desk.ports.writes, ticket.owner, request.installation_id)
    done = await (scribe.confirm if request.action == CONFIRM else scribe.reject)(entities, said)
    failed = [one for one in done if one.outcome in ("failed", "not allowed")]
    if failed:
        raise Transient(f"{len(failed)} edges could not be settled: {failed[0].detail}")


async def _review_after_push(desk: Desk, ticket: Ticket, request: PushRequest) -> None:
    """The default branch moved: readers may have come or gone, so open pull requests with removals are judged again."""
    forge = desk.forge(ticket)
    pushed = await forge.fetch_repo(request.repo_id)
    now = await desk.index(ticket).update(forge, pushed, choose_read)
    matters = await _is_sql_changed(forge, pushed, request.before, now)
    waiting = await desk.store.run(find_pulls_with_removals, request.installation_id) if matters else ()
    for repo_id, number in waiting:
        try:
            repo = await forge.fetch_repo(repo_id)
            pull = await forge.fetch_pull(repo, number)
        except Permanent as error:  # its repository left: the others are judged all the same
            log.warning("pull request %s of repository %s is not judged again: %s", number, repo_id, quote(str(error)))
            continue
        if pull.state == "open":
            await desk.enqueue(_review_of(ticket, repo, pull, "push"))
    await desk.enqueue(RepairRequest(f"{request.delivery}:repair", request.installation_id, "push"))


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


def _review_of(ticket: Ticket, repo: Repo, pull: Pull, reason: Reason) -> ReviewRequest:
    made = make_review(ticket.request.installation_id, repo, pull)
    return replace(made, delivery=f"{ticket.request.delivery}:{repo.id}:{pull.number}", reason=reason)


async def _settle_installation(desk: Desk, ticket: Ticket, request: InstallationRequest) -> None:
    """Data of what left goes; the SQL of what came is indexed, so that the first review need not wait for it."""
    if request.change == "deleted":
        await desk.store.run(forget_installation, request.installation_id)
        await desk.forget(request.installation_id)
        return
    for repo_id, _ in request.removed:
        await desk.store.run(forget_repository, repo_id)
    if request.removed:
        await desk.store.run(forget_parsed, request.installation_id)
    if request.change in ("created", "unsuspended") or request.added:
        only = None if request.change != "repositories" else frozenset(repo_id for repo_id, _ in request.added)
        await index_installation(desk, ticket, only)
        await desk.enqueue(RepairRequest(f"{request.delivery}:repair", request.installation_id, "install"))
    if request.change not in ("deleted", "suspended"):  # what was opened before, or could not be judged, is judged now
        await desk.enqueue(SweepRequest(f"{request.delivery}:sweep", request.installation_id))


async def index_installation(desk: Desk, ticket: Ticket, only: frozenset[int] | None = None) -> None:
    """Brings the index of the installation's repositories up to date (`only` None: of all), and drops that of others.

    What cannot be read is skipped here: a review that needs it says so.
    """
    forge, index = desk.forge(ticket), desk.index(ticket)
    listed = await forge.fetch_repositories()
    await desk.store.run(forget_unlisted, ticket.request.installation_id, frozenset(repo.id for repo in listed))
    for repo in listed:
        if only is None or repo.id in only:
            try:
                await index.update(forge, repo, choose_read)
            except Permanent as error:
                log.warning("repository %s cannot be indexed: %s", repo.id, quote(str(error)))
