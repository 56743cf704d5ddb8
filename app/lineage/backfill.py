"""The back-fill: write what SQL proves and the catalog lacks, then read the catalog again and report model by model.

Without a writer it is a dry run, and the report tells what would change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from app.effects import BackFill, Connection, EdgeWrite, ModelInputs, Performed, plan_edge_writes
from app.lineage.plan import Mending
from app.ports import CatalogReads
from app.repair import find_aspect_rows, find_connected, find_holders, find_own_fields
from app.trail import LineageGraph

Write = Callable[[Sequence[EdgeWrite]], Awaitable[Sequence[Performed]]]


async def back_fill(mending: Mending, *, catalog: CatalogReads, write: Write | None, run_id: str) -> BackFill:
    """Raises `Transient` and `Permanent` of the catalog; what it refuses of single edges stands in the report."""
    before = find_connected(mending.features, mending.graph, mending.naming)
    writes = plan_edge_writes(mending.missing, run_id)
    if write is None:
        would = _would_connect(mending)
        return _report(mending, run_id, before, before | would, connected=())
    performed = tuple(await write(writes))
    graph, naming = await fetch_around(mending, catalog), mending.naming
    after = find_connected(mending.features, graph, mending.naming)
    connected = tuple(
        Connection(feature, find_aspect_rows(feature, graph, naming)) for feature in sorted(after - before)
    )
    return _report(mending, run_id, before, after, connected=connected, performed=performed)


async def fetch_around(mending: Mending, catalog: CatalogReads) -> LineageGraph:
    """The features and their sources as the catalog holds them now."""
    graph = LineageGraph().extend(await catalog.fetch_aspects(mending.features))
    sources = frozenset(urn for one in mending.features for urn in find_holders(one, graph, mending.naming))
    return graph.extend(await catalog.fetch_aspects(sources))


def _would_connect(mending: Mending) -> frozenset[str]:
    """Features into which a missing edge leads."""
    into = {edge.downstream for edge in mending.missing}
    graph, naming = mending.graph, mending.naming
    return frozenset(one for one in mending.features if into & {one, *find_own_fields(one, graph, naming)})


def _report(
    mending: Mending,
    run_id: str,
    before: frozenset[str],
    after: frozenset[str],
    *,
    connected: tuple[Connection, ...],
    performed: tuple[Performed, ...] | None = None,
) -> BackFill:
    served = mending.served
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
        features=len(mending.features),
        edges=mending.missing,
        performed=performed or (),
        connected=connected,
        refusals=mending.refusals,
        notes=mending.notes,
    )
