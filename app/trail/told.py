"""Edges that the aspects of one entity tell, and which of them the graph index should know and does not.

DataHub draws its relationships from the aspects, some time after these were written. While that index lags, or is being rebuilt,
it answers with nothing, which looks like safety. The aspects come from the primary store: what they tell and the index lacks
is there all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from app.trail.aspects import find_rows, find_texts
from app.trail.graph import Edge, LineageGraph
from app.trail.proof import find_proofs
from app.trail.urns import find_title, parse_field

#: relationships that are compared; those that are read from aspects anyway can lack nothing
COMPARED: Final = ("Consumes", "DerivedFrom", "DownstreamOf")
MOST_NAMED: Final = 2  # edges in a sentence


def find_lacking(graph: LineageGraph, asked: frozenset[str], held: Iterable[Edge]) -> frozenset[Edge]:
    """What aspects tell of edges into `asked`, without what the index answered (`held`). An edge that Tether itself wrote
    moments ago, and one of something deleted, contradict nothing.
    """
    answered = frozenset(held)
    lacking = set[Edge]()
    for urn, aspects in graph.aspects.items():
        if not aspects or graph.removed(urn):
            continue
        told = [Edge(urn, kind, other) for kind, other in graph.read(urn, _read_told) if other in asked]
        if told and not answered.issuperset(told):
            own = {(parse_field(proof.upstream) or (proof.upstream,))[0] for proof in find_proofs(graph, urn)}
            lacking.update(edge for edge in told if edge not in answered and edge.destination not in own)
    return frozenset(lacking)


def find_told(graph: LineageGraph, urns: Iterable[str]) -> frozenset[Edge]:
    """All that the aspects of these entities tell, but of those that are marked as deleted."""
    there = (urn for urn in urns if not graph.removed(urn))
    return frozenset(Edge(urn, kind, other) for urn in there for kind, other in graph.read(urn, _read_told))


def tell_behind(lacking: frozenset[Edge]) -> str:
    """The sentence for people."""
    shown = sorted(lacking)[:MOST_NAMED]
    named = ", ".join(f"{find_title(edge.destination)} -> {find_title(edge.source)}" for edge in shown)
    return (
        f"the graph index is behind: it lacks {len(lacking)} of the relationships that DataHub's own aspects declare (such as "
        f"{named}), so that nobody can tell what else it lacks; check again once it has caught up, or rebuild it (RestoreIndices)"
    )


def _read_told(aspects: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(relationship, destination)."""
    model, lineage = aspects.get("mlModelProperties") or {}, aspects.get("upstreamLineage") or {}
    found = [("Consumes", urn) for urn in find_texts(model, "mlFeatures")]
    for name in ("mlFeatureProperties", "mlPrimaryKeyProperties"):
        found += [("DerivedFrom", urn) for urn in find_texts(aspects.get(name) or {}, "sources")]
    found += [("DownstreamOf", str(row["dataset"])) for row in find_rows(lineage, "upstreams") if row.get("dataset")]
    return tuple(dict.fromkeys(found))
