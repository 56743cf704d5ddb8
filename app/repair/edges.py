"""Edges that SQL on default branches proves and the catalog has not, for the given features; and what had to be refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from app.repair.definitions import Definition, Definitions, FeatureName, find_feature
from app.repair.edge import ProvenEdge, Refusal
from app.repair.proofs import Source, find_sources
from app.repair.refusals import find_absence
from app.trail import (
    FineEdge,
    LineageGraph,
    Naming,
    SqlIndex,
    field_urn,
    find_features,
    find_fine_edges,
    find_path,
    find_title,
    find_type,
    is_rejected,
)
from app.words import Config, Schema


@dataclass(frozen=True, slots=True)
class Proofs:
    """What SQL says of the given features, whatever the catalog has. `refusals` are connections that a definition hints at
    and does not prove; `absent` are features for which no definition was found at all, one refusal for each.
    """

    edges: tuple[ProvenEdge, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    absent: tuple[Refusal, ...] = ()


def find_edges(
    index: SqlIndex,
    graph: LineageGraph,
    naming: Naming,
    schema: Schema,
    features: frozenset[str],
    config: Config,
    *,
    known: LineageGraph | None = None,
) -> tuple[tuple[ProvenEdge, ...], tuple[Refusal, ...]]:
    """`index` holds default-branch SQL only. `features` are mlFeature urns; edges behind others are left alone.

    `known` holds datasets that the graph need not have: only how the catalog spells their columns is taken from it.
    """
    proofs = prove_edges(index, graph, naming, schema, features, config, known=known)
    return find_missing(proofs.edges, graph, naming), (*proofs.refusals, *proofs.absent)


def prove_edges(
    index: SqlIndex,
    graph: LineageGraph,
    naming: Naming,
    schema: Schema,
    features: frozenset[str],
    config: Config,
    *,
    known: LineageGraph | None = None,
) -> Proofs:
    """Every edge behind these features that SQL proves, those that the catalog has included; rejected ones are refused."""
    definitions = Definitions.of(index, naming, graph, schema, config, known or graph)
    edges: list[ProvenEdge] = []
    refusals: list[Refusal] = []
    absent: list[Refusal] = []
    for urn in sorted(features):
        feature = find_feature(urn)
        if feature is None or find_type(urn) != "mlFeature":
            continue
        defined = definitions.of_feature(feature)
        if not defined:
            absent.append(find_absence(feature, definitions, index))
        for found in _of_feature(feature, defined, definitions):
            if isinstance(found, Refusal):
                refusals.append(found)
            elif is_rejected(graph, found.entity):
                reason = f"somebody rejected Tether's edges on {find_title(found.entity)}"
                refusals.append(Refusal(urn, reason, found.evidence[0]))
            else:
                edges.append(found)
    return Proofs(tuple(_merge(edges)), tuple(dict.fromkeys(refusals)), tuple(absent))


def find_missing(edges: Iterable[ProvenEdge], graph: LineageGraph, naming: Naming) -> tuple[ProvenEdge, ...]:
    """Those that the catalog, as far as the graph shows it, has not."""
    known = _Known(graph, naming)
    return tuple(edge for edge in edges if not known.has(edge))


def _of_feature(
    feature: FeatureName, defined: Iterable[Definition], definitions: Definitions
) -> Iterator[ProvenEdge | Refusal]:
    for definition in defined:
        sources: list[Source] = []
        for source in find_sources(definition, definitions, feature.urn):
            if isinstance(source, Refusal):
                yield source
            else:
                sources.append(source)
        if definition.dataset is not None:
            yield from _column_edges(definition, sources, definitions, feature.urn, set())
        else:
            yield from _source_edges(feature, sources)
        if definition.statement.kind == "create_model":
            yield from _model_edges(feature, definition, sources, definitions)


def _column_edges(
    definition: Definition, sources: Iterable[Source], definitions: Definitions, feature: str, seen: set[str]
) -> Iterator[ProvenEdge | Refusal]:
    """Column edges into the dataset, and into datasets that stand before it and whose lineage has been fetched."""
    dataset = definition.dataset or ""
    path = find_path(definition.output.name, definitions.paths(dataset), dialect=definition.reader.dialect)
    if path is None:
        reason = f"the catalog does not know a column {definition.output.name} of {find_title(dataset)}"
        yield Refusal(feature, reason, definition.reader.evidence(definition.output.line))
        return
    downstream = field_urn(dataset, path)
    seen.add(downstream)
    for source in sources:
        upstream = field_urn(source.dataset, source.path)
        if source.dataset == dataset:
            continue  # a table that is filled from itself
        yield ProvenEdge(
            *("column", upstream, downstream, dataset, source.evidence),
            columns=(source.path,),
            direct=source.direct,
            operation=source.operation,
        )
        if upstream not in seen and definitions.graph.aspects.get(source.dataset):
            yield from _behind(source, definitions, feature, seen)


def _behind(source: Source, definitions: Definitions, feature: str, seen: set[str]) -> Iterator[ProvenEdge | Refusal]:
    """What cannot be proven further up is no refusal of the feature: its own edge stands."""
    for definition in definitions.of_column(source.dataset, source.path):
        found = find_sources(definition, definitions, feature)
        sources = [one for one in found if isinstance(one, Source)]
        yield from (
            edge
            for edge in _column_edges(definition, sources, definitions, feature, seen)
            if isinstance(edge, ProvenEdge)
        )


def _source_edges(feature: FeatureName, sources: Iterable[Source]) -> Iterator[ProvenEdge]:
    """Dataset -> feature, with the columns: ML lineage in DataHub is dataset level."""
    by_dataset: dict[str, list[Source]] = {}
    for source in sources:
        by_dataset.setdefault(source.dataset, []).append(source)
    for dataset, group in by_dataset.items():
        direct = [source for source in group if source.direct]
        yield ProvenEdge(
            kind="source",
            upstream=dataset,
            downstream=feature.urn,
            entity=feature.urn,
            evidence=tuple(dict.fromkeys(line for source in group for line in source.evidence)),
            columns=tuple(dict.fromkeys(source.path for source in group)),
            direct=bool(direct),
            operation="" if direct else group[0].operation,
        )


def _model_edges(
    feature: FeatureName, definition: Definition, sources: Iterable[Source], definitions: Definitions
) -> Iterator[ProvenEdge]:
    """CREATE MODEL names its inputs: the model of that name, where the catalog has one, consumes the feature."""
    lines = tuple(dict.fromkeys(line for source in sources if source.direct for line in source.evidence))
    target = (definition.statement.target or "").replace('"', "").lower()
    names = {target, target.rpartition(".")[2], ".".join(target.split(".")[-2:])}
    models = [urn for urn in definitions.graph.aspects if find_type(urn) == "mlModel"]
    named = [urn for urn in models if find_title(urn).lower() in names and not definitions.graph.removed(urn)]
    if lines and len(named) == 1:
        yield ProvenEdge("model", feature.urn, named[0], named[0], lines)


def _merge(edges: Iterable[ProvenEdge]) -> list[ProvenEdge]:
    """One edge for one pair: the proofs of all definitions together, a direct use before a filter."""
    merged: dict[tuple[str, str, str], ProvenEdge] = {}
    for edge in edges:
        key = (edge.kind, edge.upstream, edge.downstream)
        held = merged.get(key)
        if held is None:
            merged[key] = edge
            continue
        stronger = held if held.direct or not edge.direct else edge
        merged[key] = replace(
            stronger,
            evidence=tuple(dict.fromkeys((*held.evidence, *edge.evidence))),
            columns=tuple(dict.fromkeys((*held.columns, *edge.columns))),
        )
    return list(merged.values())


class _Known:
    """What the catalog has already; siblings count as one dataset."""

    def __init__(self, graph: LineageGraph, naming: Naming) -> None:
        self._graph = graph
        self._naming = naming

    def has(self, edge: ProvenEdge) -> bool:
        match edge.kind:
            case "column":
                return any(
                    field_urn(self._naming.canonical(fine.upstream[0]), fine.upstream[1]) == edge.upstream
                    and field_urn(self._naming.canonical(fine.downstream[0]), fine.downstream[1]) == edge.downstream
                    for fine in self._fine_edges(edge.entity)
                )
            case "source":
                held = self._graph.destinations(edge.downstream, "DerivedFrom")
                listed = self._graph.aspect(edge.downstream, "mlFeatureProperties").get("sources") or ()
                return edge.upstream in {self._naming.canonical(str(urn)) for urn in (*held, *listed)}
            case "model":
                return edge.upstream in find_features(self._graph, edge.downstream)

    def _fine_edges(self, entity: str) -> Iterator[FineEdge]:
        twins = (twin for twin, first in self._naming.twins.items() if first == entity)
        for urn in (entity, *twins):
            yield from find_fine_edges(self._graph, urn)
