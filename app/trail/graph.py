"""The part of DataHub's graph that has been fetched so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship as DataHub stores it: `source --type--> destination` (a feature DerivedFrom a dataset)."""

    source: str
    type: str
    destination: str


@dataclass(frozen=True, slots=True)
class GraphSlice:
    """What one fetch of a frontier brought.

    `aspects`: urn -> aspect name -> value (the aspect's JSON), for the frontier's urns and their neighbours; a urn with an
    empty mapping was asked for and does not exist. `reasons` say why the slice is not whole (caps, failed pages, aspects
    that could not be read); empty = complete. `requests` counts HTTP requests made.
    """

    asked: frozenset[str]
    edges: tuple[Edge, ...] = ()
    aspects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    requests: int = 0


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """Frozen; `extend` gives a new one. `asked` are the urns whose neighbours are known."""

    asked: frozenset[str] = frozenset()
    edges: frozenset[Edge] = frozenset()
    aspects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    hops: int = 0
    requests: int = 0
    _into: dict[tuple[str, str], tuple[str, ...]] = field(init=False, repr=False, compare=False)
    _out_of: dict[tuple[str, str], tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the edges once: a walk over thousands of features asks for the edges of each."""
        into: dict[tuple[str, str], list[str]] = {}
        out_of: dict[tuple[str, str], list[str]] = {}
        for edge in self.edges:
            into.setdefault((edge.destination, edge.type), []).append(edge.source)
            out_of.setdefault((edge.source, edge.type), []).append(edge.destination)
        object.__setattr__(self, "_into", {key: tuple(sorted(found)) for key, found in into.items()})
        object.__setattr__(self, "_out_of", {key: tuple(sorted(found)) for key, found in out_of.items()})

    @property
    def complete(self) -> bool:
        return not self.reasons

    def extend(self, part: GraphSlice) -> LineageGraph:
        merged = {urn: dict(aspects) for urn, aspects in self.aspects.items()}
        for urn, aspects in part.aspects.items():
            merged.setdefault(urn, {}).update(aspects)
        return LineageGraph(
            asked=self.asked | part.asked,
            edges=self.edges | frozenset(part.edges),
            aspects=merged,
            reasons=tuple(dict.fromkeys((*self.reasons, *part.reasons))),
            hops=self.hops + 1,
            requests=self.requests + part.requests,
        )

    def aspect(self, urn: str, name: str) -> Mapping[str, Any]:
        """The aspect's value, {} when the entity has none."""
        return self.aspects.get(urn, {}).get(name) or {}

    def sources(self, destination: str, *types: str) -> tuple[str, ...]:
        return _joined([self._into.get((destination, name), ()) for name in types])

    def destinations(self, source: str, *types: str) -> tuple[str, ...]:
        return _joined([self._out_of.get((source, name), ()) for name in types])

    def exists(self, urn: str) -> bool:
        """Known to be there and not soft-deleted."""
        return bool(self.aspects.get(urn)) and not self.aspect(urn, "status").get("removed", False)

    def removed(self, urn: str) -> bool:
        """Known to be soft-deleted. A urn that others point at and nobody ingested is not: it still carries lineage."""
        return bool(self.aspect(urn, "status").get("removed", False))

    @staticmethod
    def of(parts: Iterable[GraphSlice]) -> LineageGraph:
        graph = LineageGraph()
        for part in parts:
            graph = graph.extend(part)
        return graph


def _joined(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Sorted, each once; most entities have edges of one type, which are sorted already."""
    held = [urns for urns in lists if urns]
    if len(held) <= 1:
        return held[0] if held else ()
    return tuple(sorted({urn for urns in held for urn in urns}))
