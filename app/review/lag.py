"""Whether the graph index can be believed: what it answers is held against what the aspects of the same entities tell.

Twice, from both ends. Hop by hop, on what a walk meets; and from the models' end before it, because an empty index leaves no walk
to compare: what models take, where that comes from, and what lies before it. An index that still lacks an edge when asked
again is behind: the aspects win, and the walk is not whole.
"""

from __future__ import annotations

import asyncio
from typing import Final

from app.ports import CatalogReads
from app.trail import Edge, GraphSlice, LineageGraph, ModelListing, find_lacking, find_told, find_type, tell_behind

PAUSE: Final = 1.5  # seconds until the index is asked again; it takes up an aspect within one as a rule
MOST_ASKED: Final = 2000  # ends that are compared from the models' end; more of them, spread evenly, tell no more


async def fetch_confirmed(
    graph: LineageGraph, asked: frozenset[str], held: frozenset[Edge], catalog: CatalogReads, *, more: frozenset[Edge]
) -> GraphSlice:
    """What a hop lacks: edges into `asked` that aspects, or `more`, tell and the index (`held`) does not."""
    lacking = find_lacking(graph, asked, held) | {edge for edge in more - held if edge.destination in asked}
    if not lacking:
        return GraphSlice(frozenset())
    ends = frozenset(edge.destination for edge in lacking)
    await asyncio.sleep(PAUSE)
    again = await catalog.fetch_edges(ends)
    seen = graph.extend(await catalog.fetch_aspects(ends - frozenset(graph.aspects)))
    # a server may hide what is deleted, and what nobody ingested
    left = frozenset(edge for edge in lacking.difference(again.edges) if seen.exists(edge.destination))
    reasons = (*again.reasons, *((tell_behind(left),) if left else ()))
    return GraphSlice(frozenset(), tuple(sorted(lacking)), {}, reasons, again.requests)


async def fetch_models_end(graph: LineageGraph, models: ModelListing, catalog: CatalogReads) -> LineageGraph:
    """The graph with the sources of whatever models take, and what the index lacks of all that."""
    derived = find_told(graph, models.features)
    sources = frozenset(edge.destination for edge in derived if find_type(edge.destination) == "dataset")
    if unread := sources - frozenset(graph.aspects):
        graph = graph.extend(await catalog.fetch_aspects(unread))
    told = models.declared | derived | find_told(graph, sources)
    ends = sorted({edge.destination for edge in told})
    if not ends:
        return graph
    asked = frozenset(ends[:: -(-len(ends) // MOST_ASKED)])
    told = frozenset(edge for edge in told if edge.destination in asked)
    answer = await catalog.fetch_edges(asked)
    graph = graph.extend(GraphSlice(frozenset(), tuple(sorted(told)), {}, answer.reasons, answer.requests))
    return graph.extend(await fetch_confirmed(graph, asked, frozenset(answer.edges), catalog, more=models.declared))
