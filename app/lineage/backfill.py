"""The back-fill: write what SQL proves and the catalog lacks, then read the catalog again and report model by model.

Without a writer it is a dry run, and the report tells what would change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from app.effects import BackFill, Connection, EdgeWrite, ModelInputs, Performed, plan_edge_writes
from app.lineage.plan import RepairPlan
from app.ports import CatalogReads
from app.repair import AspectRow, find_aspect_rows, find_connected, find_holders, find_own_fields
from app.trail import LineageGraph
from app.words import Evidence

Write = Callable[[Sequence[EdgeWrite]], Awaitable[Sequence[Performed]]]


async def back_fill(plan: RepairPlan, *, catalog: CatalogReads, write: Write | None, run_id: str) -> BackFill:
    """Raises `Transient` and `Permanent` of the catalog; what it refuses of single edges stands in the report."""
    before = find_connected(plan.features, plan.graph, plan.naming)
    writes = plan_edge_writes(plan.missing, run_id)
    if write is None:
        would = _would_connect(plan)
        return _report(plan, run_id, before, before | would, connected=())
    performed = tuple(await write(writes))
    graph, naming = await fetch_around(plan, catalog), plan.naming
    after = find_connected(plan.features, graph, plan.naming)
    texts = {_place(line): line.text for edge in (*plan.missing, *plan.proven) for line in edge.evidence}
    connected = tuple(
        Connection(feature, tuple(_with_texts(row, texts) for row in find_aspect_rows(feature, graph, naming)))
        for feature in sorted(after - before)
    )
    return _report(plan, run_id, before, after, connected=connected, performed=performed)


def _place(line: Evidence) -> tuple[str, str, int]:
    return line.repo, line.path, line.line


def _with_texts(row: AspectRow, texts: Mapping[tuple[str, str, int], str]) -> AspectRow:
    """The catalog holds where a line stands; what it says is known here, where the files were read."""
    lines = tuple(replace(line, text=texts.get(_place(line), line.text)) for line in row.evidence)
    return replace(row, evidence=lines)


async def fetch_around(plan: RepairPlan, catalog: CatalogReads) -> LineageGraph:
    """The features and their sources as the catalog holds them now."""
    graph = LineageGraph().extend(await catalog.fetch_aspects(plan.features))
    sources = frozenset(urn for one in plan.features for urn in find_holders(one, graph, plan.naming))
    return graph.extend(await catalog.fetch_aspects(sources))


def _would_connect(plan: RepairPlan) -> frozenset[str]:
    """Features into which a missing edge leads."""
    into = {edge.downstream for edge in plan.missing}
    graph, naming = plan.graph, plan.naming
    return frozenset(one for one in plan.features if into & {one, *find_own_fields(one, graph, naming)})


def _report(
    plan: RepairPlan,
    run_id: str,
    before: frozenset[str],
    after: frozenset[str],
    *,
    connected: tuple[Connection, ...],
    performed: tuple[Performed, ...] | None = None,
) -> BackFill:
    served = plan.served
    models = tuple(
        ModelInputs(
            model,
            served.name(model),
            inputs,
            tuple(urn for urn in inputs if urn not in before),
            tuple(urn for urn in inputs if urn not in after),
        )
        for model, inputs in sorted(served.inputs.items(), key=lambda item: served.name(item[0]))
    )
    return BackFill(
        run_id=run_id,
        mode="dry run" if performed is None else "written",
        models=models,
        unknown=tuple(sorted(served.name(model) for model in served.without_inputs)),
        features=len(plan.features),
        edges=plan.missing,
        performed=performed or (),
        connected=connected,
        refusals=plan.refusals,
        notes=plan.notes,
    )
