"""DataHub, written: fulfils `app.ports.CatalogWrites` through acryl-datahub, in threads.

What came of it is an outcome for the check to say; only an outage, in which nothing was decided, is an exception.
Deliberately absent: the ledger of edges, and which of them to take back (`app.lineage`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakValueDictionary

from app.edges.datahub.edge_retractions import EdgeRetractor
from app.edges.datahub.edge_writes import EdgeWriter, name_edge
from app.edges.datahub.incidents import IncidentClient, NewIncident
from app.edges.datahub.rights import probe_rights
from app.edges.datahub.threads import Threads
from app.edges.datahub.versioned import (
    CatalogFailure,
    NotAllowed,
    Unreached,
    VersionedAspects,
    WriteRefused,
    open_graph,
)
from app.edges.datahub.wire import TOKEN_HINT, find_headers
from app.effects import ACTOR, EdgeWrite, Incident, Performed, TakenBack, end_pull, merge_description
from app.ports import Right
from app.repair import ProvenEdge
from app.words import Transient


class DataHubWrites:
    """Fulfils `CatalogWrites`. One instance serves all jobs."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        web_url: str = "https://github.com",
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        find_headers(token)  # refuses a token that would end up in an exception's text
        graph = self._graph = open_graph(url, token)
        self._threads = Threads(sleep)
        aspects = VersionedAspects(graph)

        def now() -> int:
            return int(clock() * 1000)

        self._edges = EdgeWriter(aspects, self._threads, web_url=web_url, now=now)
        self._retractor = EdgeRetractor(aspects, self._threads, now=now)
        self._incidents = IncidentClient(graph, actor=ACTOR, run_id="tether-incidents", clock=clock)
        self._waiting: dict[tuple[int, str, str], list[tuple[EdgeWrite, asyncio.Future[Performed]]]] = {}
        self._locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    async def write_edge(self, write: EdgeWrite) -> Performed:
        """Write one edge with its marks; nothing when it is there. Raises `Transient` when the catalog is away.

        Calls that wait for the same entity are written together by the first of them that gets its turn.
        """
        entity = write.edge.entity
        key = (id(asyncio.get_running_loop()), entity, write.run_id)
        outcome: asyncio.Future[Performed] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append((write, outcome))
        async with self._lock(entity):
            if not outcome.done():
                await self._write_together(entity, self._waiting.pop(key))
        return await outcome

    async def _write_together(
        self, entity: str, waiting: Sequence[tuple[EdgeWrite, asyncio.Future[Performed]]]
    ) -> None:
        """Settles every future that is waiting, whatever happens: nobody may wait for a writer that is gone."""
        try:
            outcomes = await self._write_all(entity, [write for write, _ in waiting])
        except asyncio.CancelledError:
            _fail(waiting, Transient(f"The writer of {entity} was stopped before it was done."))
            raise
        except Exception as exc:  # noqa: BLE001 - handed on whole to everybody who waits, this caller included
            _fail(waiting, exc)
        else:
            for write, outcome in waiting:
                if not outcome.done():
                    outcome.set_result(outcomes[write])

    async def _write_all(self, entity: str, writes: Sequence[EdgeWrite]) -> dict[EdgeWrite, Performed]:
        try:
            return await self._edges.write(entity, tuple(dict.fromkeys(writes)))
        except CatalogFailure as exc:
            return {write: _judge(exc, name_edge(write.edge), "edge") for write in writes}

    async def retract_edges(self, edges: Sequence[ProvenEdge], *, why: TakenBack, run_id: str) -> tuple[Performed, ...]:
        """Take exactly these edges of ours back; "rejected" leaves a tag that keeps Tether away. Raises `Transient`."""
        by_entity: dict[str, list[ProvenEdge]] = {}
        for edge in edges:
            by_entity.setdefault(edge.entity, []).append(edge)
        done: list[Performed] = []
        for entity, group in by_entity.items():
            async with self._lock(entity):
                try:
                    done += await self._retractor.retract(entity, group, why, run_id)
                except CatalogFailure as exc:
                    done += [_judge(exc, name_edge(edge), "edge") for edge in group]
        return tuple(done)

    async def raise_incident(self, incident: Incident) -> Performed:
        """Create it, or put this pull request on the list of the one that is there, reopening it. Idempotent."""
        return await self._incident(incident.urn, lambda: self._raise(incident))

    async def resolve_incident(self, urn: str, pull_url: str, message: str) -> Performed:
        """Tick the pull request off; the incident is resolved when it was the last one open on its list."""
        return await self._incident(urn, lambda: self._end(urn, pull_url, message))

    async def probe_rights(self) -> tuple[Right, ...]:
        """What the token may write, asked with writes that cannot succeed. Leaves nothing behind."""
        return await self._threads.call(lambda: probe_rights(self._graph))

    async def _incident(self, urn: str, work: Callable[[], Performed]) -> Performed:
        async with self._lock(urn):
            try:
                return await self._threads.call(work)
            except CatalogFailure as exc:
                return _judge(exc, urn, "incident")

    def _raise(self, incident: Incident) -> Performed:
        if self._incidents.get(incident.urn) is None and self._create(incident):
            return Performed(incident.urn, "incident", "written")

        def change(info: Mapping[str, Any]) -> Mapping[str, Any]:
            description = merge_description(str(info.get("description") or ""), incident)
            reopened = self._incidents.with_state(info, "ACTIVE", "")
            return {**reopened, "title": incident.title, "description": description}

        changed = self._incidents.update(incident.urn, change)
        return Performed(incident.urn, "incident", "written" if changed else "already there")

    def _create(self, incident: Incident) -> bool:
        def new(*entities: str) -> NewIncident:
            return NewIncident("DATA_SCHEMA", incident.title, incident.description, entities, "CRITICAL")

        try:
            return self._incidents.raise_incident(incident.urn, new(incident.dataset, incident.model))
        except WriteRefused:
            # servers before 1.7 take no incident on a model; a refusal for any other reason comes again
            return self._incidents.raise_incident(incident.urn, new(incident.dataset))

    def _end(self, urn: str, pull_url: str, message: str) -> Performed:
        if self._incidents.get(urn) is None:
            return Performed(urn, "incident", "already there", "there is no such incident")

        def change(info: Mapping[str, Any]) -> Mapping[str, Any]:
            description, still_open = end_pull(str(info.get("description") or ""), pull_url, message)
            ended = {**info, "description": description}
            return ended if still_open else self._incidents.with_state(ended, "RESOLVED", message)

        changed = self._incidents.update(urn, change)
        return Performed(urn, "incident", "withdrawn" if changed else "already there")

    def _lock(self, key: str) -> asyncio.Lock:
        """One writer per entity in this process and event loop: they would only conflict with each other."""
        loop_key = (id(asyncio.get_running_loop()), key)
        lock = self._locks.get(loop_key)
        if lock is None:
            lock = self._locks[loop_key] = asyncio.Lock()
        return lock


def _fail(waiting: Sequence[tuple[EdgeWrite, asyncio.Future[Performed]]], exc: Exception) -> None:
    for _, outcome in waiting:
        if not outcome.done():
            outcome.set_exception(exc)
            outcome.exception()  # a caller that is gone will not look at it: no complaint about that


def _judge(exc: CatalogFailure, what: str, kind: Literal["incident", "edge"]) -> Performed:
    if isinstance(exc, Unreached):
        raise Transient(f"The {kind} {what} could not be written: {exc}.", retry_after=exc.retry_after) from None
    if isinstance(exc, NotAllowed):
        return Performed(what, kind, "not allowed", f"{exc}; {TOKEN_HINT}, of an account that may edit this entity")
    return Performed(what, kind, "failed", str(exc))
