"""Keep what was written: put back what an ingestion dropped, take back what SQL no longer proves, follow what people decided.

For the whole of one installation, on a schedule and whenever a default branch moves; a review does the same along its trails
(`LineageWriter.keep`), without looking at the SQL again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.edges.store import EdgeRow, load_edges_of
from app.effects import CONFIRMED_TAG, EdgeWrite, Performed
from app.lineage.plan import RepairPlan
from app.lineage.writer import REJECTED, LineageWriter, find_triple, to_edge
from app.repair import GONE, KeptEdge, find_ends, plan_keeping
from app.trail import find_tags, is_rejected

CONFIRMED: Final = "the entity carries the tag tether:confirmed"


@dataclass(frozen=True, slots=True)
class KeptEdges:
    """What became of the ledger. `restored` had been dropped by somebody, or could not be put back; `taken_back` are no longer
    proven; `rejected` were refused by people since; `unsure` could not be looked at and stay.
    """

    restored: tuple[Performed, ...] = ()
    taken_back: tuple[Performed, ...] = ()
    rejected: tuple[Performed, ...] = ()
    unsure: int = 0


async def keep_edges(writer: LineageWriter, plan: RepairPlan, *, read: Collection[str]) -> tuple[KeptEdges, RepairPlan]:
    """`read`: full names of the repositories that were read whole. The second answer has only what is missing for the first
    time: what was written before is settled here."""
    rows = await writer.store.run(load_edges_of, installation_id=writer.installation_id)
    refused = await _apply_decisions(writer, rows, plan)
    rows = await writer.store.run(load_edges_of, installation_id=writer.installation_id)
    by_triple = {row.triple: row for row in rows}
    lacking = {find_ends(edge) for edge in plan.missing}
    # a proposal that the catalog lacks is left to the back-fill; one that it has was written by a process that died behind it
    standing = [row for row in rows if row.state in ("written", "confirmed") or _was_written(row, lacking)]
    kept = [KeptEdge(to_edge(row), row.state == "confirmed") for row in standing]
    kept_plan = plan_keeping(kept, plan.proven, read=read, opaque=plan.opaque)
    came = await writer.write([EdgeWrite(edge, by_triple[find_triple(edge)].run_id) for edge in kept_plan.write])
    taken = await writer.take_back([by_triple[find_triple(edge)] for edge in kept_plan.retract], "stale", GONE)
    settled = {find_ends(one.edge) for one in kept}
    return KeptEdges(
        tuple(one for one in came if one.outcome not in ("already there", "rejected")),
        taken,
        (*refused, *(one for one in came if one.outcome == "rejected")),
        len(kept_plan.unsure),
    ), replace(plan, missing=tuple(edge for edge in plan.missing if find_ends(edge) not in settled))


async def _apply_decisions(writer: LineageWriter, rows: Sequence[EdgeRow], plan: RepairPlan) -> tuple[Performed, ...]:
    """Tags that people set on the entities since. A confirmation is for the edges that stood there when it was given: a new
    one on an entity that was confirmed before waits for its own."""
    graph = plan.graph
    by_entity: dict[str, list[EdgeRow]] = {}
    for row in rows:
        by_entity.setdefault(row.entity, []).append(row)
    refused = {entity for entity, own in by_entity.items() if is_rejected(graph, entity) or _is_refused(own)}
    confirmed = {
        entity
        for entity, own in by_entity.items()
        if CONFIRMED_TAG in find_tags(graph, entity) and not any(row.state == "confirmed" for row in own)
    }
    if confirmed - refused:
        await writer.confirm(confirmed - refused, CONFIRMED)
    if not refused:
        return ()
    taken = await writer.reject(refused, REJECTED)
    return tuple(one for one in taken if one.outcome != "already there")


def _was_written(row: EdgeRow, lacking: Collection[tuple[str, str, str]]) -> bool:
    return row.state == "proposed" and (row.kind, row.upstream, row.downstream) not in lacking


def _is_refused(own: Sequence[EdgeRow]) -> bool:
    """Remembered, and perhaps not yet gone from the catalog because it could not be reached then."""
    return any(row.state == "rejected" for row in own)
