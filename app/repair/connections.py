"""Whether the catalog says which columns a feature is computed from, and what of that Tether wrote. Pure.

A feature is connected when a column edge leads into the column that it is, or when evidence names the columns of a dataset
that it is derived from. A dataset among its sources without either says too little to follow a column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.trail import (
    LineageGraph,
    Naming,
    field_urn,
    find_feature_sources,
    find_fine_edges,
    find_paths,
    find_proofs,
    parse_feature,
)
from app.words import Evidence


@dataclass(frozen=True, slots=True)
class AspectRow:
    """One edge of Tether's as an aspect of the catalog holds it, with the lines beside it. `operation` as DataHub spells it."""

    entity: str
    aspect: str
    upstream: str
    downstream: str
    columns: tuple[str, ...]
    operation: str
    evidence: tuple[Evidence, ...]


def find_connected(features: Iterable[str], graph: LineageGraph, naming: Naming) -> frozenset[str]:
    """Those of the features whose columns the catalog tells; `graph` holds their aspects and those of their sources."""
    return frozenset(feature for feature in features if _is_connected(feature, graph, naming))


def _is_connected(feature: str, graph: LineageGraph, naming: Naming) -> bool:
    if any(proof.columns for proof in find_proofs(graph, feature)):
        return True
    own = set(find_own_fields(feature, graph, naming))
    downs = (
        field_urn(*fine.downstream)
        for urn in find_holders(feature, graph, naming)
        for fine in find_fine_edges(graph, urn)
    )
    return not own.isdisjoint(downs)


def find_holders(feature: str, graph: LineageGraph, naming: Naming) -> tuple[str, ...]:
    """The datasets that the feature declares as its sources; of a dbt model also the table that stands for it."""
    sources = find_feature_sources(graph, feature)
    return tuple(dict.fromkeys((*sources, *map(naming.canonical, sources))))


def find_own_fields(feature: str, graph: LineageGraph, naming: Naming) -> tuple[str, ...]:
    """The schemaField urns of the columns that are the feature: in its sources, by its name."""
    name = (parse_feature(feature) or ("", ""))[1]
    holders = find_holders(feature, graph, naming)
    held = [(urn, path) for urn in holders for path in find_paths(graph, urn) if path.lower() == name.lower()]
    twins = [(naming.canonical(urn), path) for urn, path in held]
    return tuple(dict.fromkeys(field_urn(urn, path) for urn, path in (*held, *twins)))


def find_aspect_rows(feature: str, graph: LineageGraph, naming: Naming) -> tuple[AspectRow, ...]:
    """What Tether wrote right behind the feature, read back from the aspects."""
    rows = [
        AspectRow(feature, "mlFeatureProperties", p.upstream, p.downstream, p.columns, "", p.evidence)
        for p in find_proofs(graph, feature)
    ]
    own = set(find_own_fields(feature, graph, naming))
    for dataset in find_holders(feature, graph, naming):
        operations = {
            (field_urn(*fine.upstream), field_urn(*fine.downstream)): fine.operation
            for fine in find_fine_edges(graph, dataset)
        }
        for proof in find_proofs(graph, dataset):
            operation = operations.get((proof.upstream, proof.downstream))
            if proof.downstream in own and operation is not None:
                ends = (proof.upstream, proof.downstream, proof.columns)
                rows.append(AspectRow(dataset, "upstreamLineage", *ends, operation, proof.evidence))
    return tuple(rows)
