"""The part of DataHub's graph that has been fetched so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from app.trail.shapes import find_strange
from app.trail.urns import parse_feature

T = TypeVar("T")


class Edge(NamedTuple):
    """A relationship as DataHub stores it: `source --type--> destination` (a feature DerivedFrom a dataset)."""

    source: str
    type: str
    destination: str


@dataclass(frozen=True, slots=True)
class GraphSlice:
    """What one fetch of a frontier brought.

    `aspects`: urn -> aspect name -> value (the aspect's JSON), for the frontier's urns and their neighbours; a urn with an
    empty mapping was asked for and does not exist. `guessed` are those of `asked` whose aspects were looked for only if
    something points at them. `reasons` say why the slice is not whole (caps, failed pages, aspects that could not be
    read); empty = complete. `requests` counts HTTP requests made. `unread` are urns of which something is missing: their
    aspects, or edges into them.
    """

    asked: frozenset[str]
    edges: tuple[Edge, ...] = ()
    aspects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    requests: int = 0
    guessed: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Taken:
    """The features that models take, by their own name and by the last part of their table's; both in lower case."""

    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_view: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @staticmethod
    def of(features: Iterable[str]) -> Taken:
        names: dict[str, dict[str, None]] = {}
        views: dict[str, dict[str, None]] = {}
        for feature in features:
            if parsed := parse_feature(feature):
                names.setdefault(parsed[1].lower(), {})[feature] = None
                views.setdefault(parsed[0].rpartition(".")[2].lower(), {})[feature] = None
        return Taken({k: tuple(v) for k, v in names.items()}, {k: tuple(v) for k, v in views.items()})


Index = dict[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """Frozen; `extend` gives a new one, which shares what did not change. `asked` are the urns whose neighbours are known,
    `guessed` those of them that were only looked for by what points at them. `strange` are aspects of a shape that nobody
    here can read, as sentences; `unread` holds their urns too (see `GraphSlice`). `_read` only remembers answers about
    single entities.
    """

    asked: frozenset[str] = frozenset()
    edges: frozenset[Edge] = frozenset()
    aspects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    hops: int = 0
    requests: int = 0
    guessed: frozenset[str] = frozenset()
    strange: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()
    taken: Taken = field(default_factory=Taken)  # what models declare as their inputs
    _into: Index = field(default_factory=dict, repr=False, compare=False)
    _out_of: Index = field(default_factory=dict, repr=False, compare=False)
    _read: dict[str, dict[Callable[[Mapping[str, Any]], Any], Any]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.edges and not self._into:
            rows = [(edge.destination, edge.type, edge.source) for edge in self.edges]
            object.__setattr__(self, "_into", _extended({}, rows))
            object.__setattr__(self, "_out_of", _extended({}, [(end, name, other) for other, name, end in rows]))

    @property
    def complete(self) -> bool:
        return not (self.reasons or self.strange)

    def extend(self, part: GraphSlice) -> LineageGraph:
        """With one fetch more. A fetch of aspects alone is no hop."""
        edges = frozenset(part.edges) - self.edges
        aspects = dict(self.aspects)
        for urn, held in part.aspects.items():
            known = aspects.get(urn)
            aspects[urn] = {**known, **held} if known else held
        odd = dict(find_strange(part.aspects))
        return LineageGraph(
            asked=self.asked | part.asked,
            edges=self.edges | edges,
            aspects=aspects,
            reasons=tuple(dict.fromkeys((*self.reasons, *part.reasons))),
            hops=self.hops + bool(part.asked),
            requests=self.requests + part.requests,
            guessed=(self.guessed | part.guessed) - (part.asked - part.guessed) - part.aspects.keys(),
            strange=tuple(dict.fromkeys((*self.strange, *odd))),
            unread=self.unread.union(part.unread, odd.values()),
            taken=self.taken,
            _into=_extended(self._into, ((edge.destination, edge.type, edge.source) for edge in edges)),
            _out_of=_extended(self._out_of, ((edge.source, edge.type, edge.destination) for edge in edges)),
            _read={urn: answers for urn, answers in self._read.items() if urn not in part.aspects},
        )

    def read(self, urn: str, reader: Callable[[Mapping[str, Any]], T]) -> T:
        """What `reader` makes of the entity's aspects (name -> value). Asked once, as long as the aspects stay: a walk is
        run again after every fetch, and most entities are the same as before.
        """
        answers = self._read.get(urn)
        if answers is None:
            answers = self._read[urn] = {}
        if reader not in answers:
            answers[reader] = reader(self.aspects.get(urn) or {})
        answer: T = answers[reader]
        return answer

    def aspect(self, urn: str, name: str) -> Mapping[str, Any]:
        """The aspect's value, {} when the entity has none."""
        held = self.aspects.get(urn)
        return (held.get(name) or {}) if held else {}

    def sources(self, destination: str, *types: str) -> tuple[str, ...]:
        """Whoever points at it by one of these relationships, sorted."""
        return _joined([self._into.get((destination, name), ()) for name in types])

    def destinations(self, source: str, *types: str) -> tuple[str, ...]:
        """Whatever it points at by one of these relationships, sorted."""
        return _joined([self._out_of.get((source, name), ()) for name in types])

    def named(self) -> frozenset[str]:
        """Everything that an edge leads into."""
        return frozenset(destination for destination, _ in self._into)

    def exists(self, urn: str) -> bool:
        """Known to be there and not soft-deleted."""
        return bool(self.aspects.get(urn)) and not self.removed(urn)

    def removed(self, urn: str) -> bool:
        """Known to be soft-deleted. A urn that others point at and nobody ingested is not: it still carries lineage."""
        return bool(self.aspect(urn, "status").get("removed", False))

    def absent(self, urn: str) -> bool:
        """Asked for and not there: never ingested, or deleted for good."""
        return urn in self.aspects and not self.aspects[urn]

    @staticmethod
    def of(parts: Iterable[GraphSlice]) -> LineageGraph:
        graph = LineageGraph()
        for part in parts:
            graph = graph.extend(part)
        return graph


def _extended(index: Index, rows: Iterable[tuple[str, str, str]]) -> Index:
    """The index with more (end, type, other end) rows; only the entries that they touch are made anew."""
    fresh: dict[tuple[str, str], list[str]] = {}
    for end, name, other in rows:
        fresh.setdefault((end, name), []).append(other)
    return {**index, **{key: tuple(sorted((*index.get(key, ()), *found))) for key, found in fresh.items()}}


def _joined(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Sorted, each once; most entities have edges of one type, which are sorted already."""
    held = [urns for urns in lists if urns]
    if len(held) <= 1:
        return held[0] if held else ()
    return tuple(sorted({urn for urns in held for urn in urns}))
