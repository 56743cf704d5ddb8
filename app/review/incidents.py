"""The incidents of a pull request in the catalog: its head raises them, a later head or the close resolves them.

The one place that does either. Our row comes first, then the catalog: a job that died in between finds by the incident's urn
what it did. The catalog holds an incident open until the last pull request on it is gone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from app.codec import decode, encode
from app.edges.store import (
    IncidentRow,
    PullKey,
    drop_incident_pull,
    load_incidents,
    mark_incident_merged,
    set_incident,
)
from app.effects import Incident, Performed, ReviewFacts, plan_incidents
from app.requests import CloseRequest, Job
from app.review.context import ReviewContext, pull_key
from app.words import Permanent, Transient


async def perform_incidents(context: ReviewContext, job: Job, facts: ReviewFacts) -> list[Performed]:
    """Raises what this head breaks; resolves what an earlier head of this pull request broke and this one does not."""
    key = pull_key(job)
    planned = plan_incidents(facts)  # what it may not raise, a draft say, is no reason to resolve what stands
    raised = planned if facts.permitted.incidents else ()
    done = [await _raise(context, job, key, incident) for incident in raised]
    verdict = facts.verdict
    unsure = verdict.judged == "unassessable" or verdict.unknowns or verdict.muted or verdict.observed is not None
    if facts.subject.pull is None or unsure:
        return done  # what could not be looked at, or is not counted, is not known to be repaired
    wanted = {incident.urn for incident in planned}
    for row in await context.store.run(load_incidents, key):
        if row.urn not in wanted:
            await context.check_newest(job)
            done.append(await _resolve(context, key, row, "fixed by a later push"))
    return done


async def settle_incidents(context: ReviewContext, request: CloseRequest) -> list[Performed]:
    """Those of a pull request that was closed: unmerged, it no longer holds them open; merged anyway, they stay and say so."""
    key = PullKey(request.installation_id, request.repo_id, request.pull)
    settle = _mark_merged if request.merged else _resolve
    return [await settle(context, key, row) for row in await context.store.run(load_incidents, key)]


async def _raise(context: ReviewContext, job: Job, key: PullKey, incident: Incident) -> Performed:
    """A pull request is its repository's id and its number: of a repository that moved, the link that stands in the catalog is
    replaced, and remembered until it was.
    """
    await context.check_newest(job)
    rows = await context.store.run(load_incidents, key)
    link = incident.pulls[0]
    held = next((row.own_url for row in rows if row.urn == incident.urn), link)
    raised = replace(incident, formerly=held) if held != link else incident
    await context.store.run(set_incident, key, incident.urn, content=encode(incident), url=held)
    came = await _attempt(lambda: context.ports.writes.raise_incident(raised), incident.urn)
    if held != link and came.outcome in ("written", "already there"):
        await context.store.run(set_incident, key, incident.urn, content=encode(incident), url=link)
    return came


async def _resolve(
    context: ReviewContext, key: PullKey, row: IncidentRow, message: str = "closed without merging"
) -> Performed:
    """Takes the pull request off the incident; the catalog resolves it with the last one. Our row goes only once that worked, so
    that the next review or the close tries again."""
    came = await _attempt(lambda: context.ports.writes.resolve_incident(row.urn, row.own_url, message), row.urn)
    if came.outcome in ("withdrawn", "already there"):
        await context.store.run(drop_incident_pull, key, row.urn)
    return came


async def _mark_merged(context: ReviewContext, key: PullKey, row: IncidentRow) -> Performed:
    incident = decode(Incident, dict(row.content))
    note = f"**Merged anyway**: {row.own_url} was merged although this check was red."
    marked = replace(incident, description=f"{incident.description}\n\n{note}")
    came = await _attempt(lambda: context.ports.writes.raise_incident(marked), row.urn)
    if came.outcome != "failed":
        await context.store.run(mark_incident_merged, key, row.urn)
    return came


async def _attempt(call: Callable[[], Awaitable[Performed]], urn: str) -> Performed:
    """What came of it; a failure is a value too, because the check has to be concluded whatever happens."""
    try:
        return await call()
    except (Transient, Permanent) as error:
        return Performed(urn, "incident", "failed", str(error))
