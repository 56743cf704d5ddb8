"""Edges into the catalog and out of it, each with its row in the ledger: before it is written, and after what came of it.

The row comes first, so that a process that dies in between leaves a proposal that the next run finds; the catalog is asked
before anything is written, so that nothing is doubled. What people refused is remembered here and never proposed again: it
covers all of Tether's edges on that entity. Who decides what to write is `app.review.publish`,
`app.lineage.backfill` and `app.lineage.keep`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from app.codec import decode, encode
from app.edges.store import EdgeRow, Store, drop_edges, load_edges_of, set_edges
from app.effects import EdgeWrite, Performed, TakenBack
from app.ports import CatalogWrites
from app.repair import ProvenEdge
from app.review.context import OpenLineage
from app.words import Evidence, Permanent, Transient

#: a run that somebody took back is not written again by itself, only when somebody asks for it
REVERTED: Final = "taken back with tether repair --revert; tether repair writes it again"
REJECTED: Final = "people rejected Tether's edges on this entity"
#: entities that are written at the same time; edges of one entity go together
AT_ONCE: Final = 8
_STANDING: Final = ("written", "confirmed")


async def _nothing_newer() -> None:
    return


@dataclass(frozen=True)
class LineageWriter:
    """`check_newest` raises once the work is pointless; it is asked before every entity. `origin` "asked": a person did."""

    store: Store
    writes: CatalogWrites
    run_id: str
    installation_id: int = 0
    pull: tuple[int, int] | None = None
    origin: Literal["asked", "by itself"] = "by itself"
    check_newest: Callable[[], Awaitable[None]] = _nothing_newer

    @classmethod
    def opener(cls, store: Store, writes: CatalogWrites) -> OpenLineage:
        """How a review opens the writer of its own edges."""
        return lambda run_id, installation_id, pull, check_newest: cls(
            store, writes, run_id, installation_id, pull, check_newest=check_newest
        )

    async def write(self, edges: Sequence[EdgeWrite]) -> tuple[Performed, ...]:
        """What came of each, in no particular order. Failures are outcomes: the caller goes on whatever happens."""
        entities = {write.edge.entity for write in edges}
        rows = await self.store.run(load_edges_of, entities=entities)
        held = {row.triple: row for row in rows}
        refused = {row.entity for row in rows if row.state == "rejected"}
        kept_back: list[Performed] = []
        groups: dict[str, list[EdgeWrite]] = {}
        for write in edges:
            why = self._find_obstacle(write.edge, held.get(find_triple(write.edge)), refused)
            if why:
                kept_back.append(Performed(_name(write.edge), "edge", "rejected", why))
            else:
                groups.setdefault(write.edge.entity, []).append(self._with_known(write, held))
        gate = asyncio.Semaphore(AT_ONCE)

        async def work(group: Sequence[EdgeWrite]) -> Sequence[Performed]:
            async with gate:
                return await self._write_entity(group, held)

        done = await asyncio.gather(*(work(group) for group in groups.values()))
        return (*kept_back, *(one for part in done for one in part))

    async def keep(self, entities: Iterable[str]) -> tuple[Performed, ...]:
        """Write again what an ingestion dropped on these entities, marks included; only what changed is told."""
        rows = await self.store.run(load_edges_of, entities=entities)
        standing = [EdgeWrite(to_edge(row), row.run_id) for row in rows if row.state in _STANDING]
        return tuple(one for one in await self.write(standing) if one.outcome != "already there")

    async def take_back(self, rows: Sequence[EdgeRow], why: TakenBack, detail: str) -> tuple[Performed, ...]:
        """Out of the catalog, and remembered: rejected ones as such, others as stale."""
        state: Literal["rejected", "stale"] = "rejected" if why == "rejected" else "stale"
        if why == "rejected":  # remembered first: whatever happens next, it is not proposed again
            await self.store.run(set_edges, [replace(row, state=state, detail=detail) for row in rows])
        done: list[Performed] = []
        for entity in sorted({row.entity for row in rows}):
            await self.check_newest()
            own = [row for row in rows if row.entity == entity]
            came = await self._retract([to_edge(row) for row in own], why)
            done += came
            if why != "rejected" and all(one.outcome in ("taken back", "already there") for one in came):
                await self.store.run(set_edges, [replace(row, state=state, detail=detail) for row in own])
        return tuple(done)

    async def reject(self, entities: Iterable[str], detail: str = REJECTED) -> tuple[Performed, ...]:
        """A person refused them: every edge of ours on these entities goes, and none is ever proposed again."""
        rows = await self.store.run(load_edges_of, entities=entities)
        return await self.take_back(rows, "rejected", detail)

    async def confirm(self, entities: Iterable[str], detail: str) -> tuple[Performed, ...]:
        """A person vouched for our edges on these entities, as many as stand there now."""
        rows = await self.store.run(load_edges_of, entities=entities)
        known = [replace(row, state="confirmed", detail=detail) for row in rows if row.state in _STANDING]
        await self.store.run(set_edges, known)
        return await self.write([EdgeWrite(to_edge(row), row.run_id, "confirmed") for row in known])

    def _find_obstacle(self, edge: ProvenEdge, row: EdgeRow | None, refused: set[str]) -> str:
        if edge.entity in refused:
            return REJECTED
        if row is not None and row.state == "stale" and row.detail == REVERTED and self.origin == "by itself":
            return REVERTED
        return ""

    def _with_known(self, write: EdgeWrite, held: dict[tuple[str, str, str], EdgeRow]) -> EdgeWrite:
        row = held.get(find_triple(write.edge))
        match row.state if row else None:
            case "written":
                return replace(write, known="written")
            case "confirmed":
                return replace(write, known="confirmed")
            case _:
                return write

    async def _write_entity(
        self, group: Sequence[EdgeWrite], held: dict[tuple[str, str, str], EdgeRow]
    ) -> Sequence[Performed]:
        """Propose, write, settle: the edges of one entity."""
        await self.check_newest()
        rows = {write: self._row(write, held.get(find_triple(write.edge))) for write in group}
        await self.store.run(set_edges, list(rows.values()))
        came = await asyncio.gather(*(self._attempt(write) for write in group))
        if any(one.outcome == "rejected" for one in came):
            entity = group[0].edge.entity
            taken = await self.reject([entity])
            return [*came, *(one for one in taken if one.outcome not in ("already there", "taken back"))]
        settled = [_settle(rows[write], one) for write, one in zip(group, came, strict=True)]
        await self.store.run(set_edges, [row for row in settled if row is not None])
        theirs = [find_triple(write.edge) for write, row in zip(group, settled, strict=True) if row is None]
        await self.store.run(drop_edges, theirs)
        return came

    def _row(self, write: EdgeWrite, held: EdgeRow | None) -> EdgeRow:
        """An edge that stands keeps its state and the run that wrote it; its lines may have moved."""
        edge = write.edge
        stands = held is not None and held.state in _STANDING
        return EdgeRow(
            edge.upstream,
            edge.downstream,
            edge.kind,
            edge.entity,
            self.installation_id,
            held.state if held is not None and stands else "proposed",
            tuple(encode(line) for line in edge.evidence),
            edge.columns,
            edge.direct,
            edge.operation,
            held.run_id if held is not None and stands else write.run_id,
            held.pull if held is not None and stands else self.pull,
        )

    async def _attempt(self, write: EdgeWrite) -> Performed:
        try:
            return await self.writes.write_edge(write)
        except (Transient, Permanent) as error:
            return Performed(_name(write.edge), "edge", "failed", str(error))

    async def _retract(self, edges: Sequence[ProvenEdge], why: TakenBack) -> tuple[Performed, ...]:
        try:
            return await self.writes.retract_edges(edges, why=why, run_id=self.run_id)
        except (Transient, Permanent) as error:
            return tuple(Performed(_name(edge), "edge", "failed", str(error)) for edge in edges)


def _settle(row: EdgeRow, came: Performed) -> EdgeRow | None:
    """The row after what came of it; None when the edge turned out to be somebody else's."""
    match came.outcome:
        case "written" | "already there":
            return replace(row, state="confirmed" if row.state == "confirmed" else "written", detail="")
        case "declared":
            return None
        case _:
            return replace(row, detail=came.detail)


def find_triple(edge: ProvenEdge) -> tuple[str, str, str]:
    """What one edge is known by."""
    return (edge.upstream, edge.downstream, edge.kind)


def to_edge(row: EdgeRow) -> ProvenEdge:
    """The edge of a row, with its lines. Raises `Permanent` for a row that is none."""
    lines = tuple(decode(Evidence, dict(line)) for line in row.evidence)
    return ProvenEdge(row.kind, row.upstream, row.downstream, row.entity, lines, row.columns, row.direct, row.operation)


def _name(edge: ProvenEdge) -> str:
    return f"{edge.upstream} -> {edge.downstream}"
