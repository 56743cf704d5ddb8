"""The part of DataHub's graph that has been fetched so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
        return tuple(sorted(e.source for e in self.edges if e.destination == destination and e.type in types))

    def destinations(self, source: str, *types: str) -> tuple[str, ...]:
        return tuple(sorted(e.destination for e in self.edges if e.source == source and e.type in types))

    def exists(self, urn: str) -> bool:
        """Known to be there and not soft-deleted."""
        return bool(self.aspects.get(urn)) and not self.aspect(urn, "status").get("removed", False)

    @staticmethod
    def of(parts: Iterable[GraphSlice]) -> LineageGraph:
        graph = LineageGraph()
        for part in parts:
            graph = graph.extend(part)
        return graph
