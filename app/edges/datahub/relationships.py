"""The edges around a frontier, read from DataHub's graph store: one request per direction, pages followed to the end.

Never the lineage search: it filters through the search index, caches empty answers, and knows no deployments.
`direction=OUTGOING` is always sent, because only then do the two filters mean what they say; what points at the frontier
is asked for with the destination filter. Servers before 1.6 have no relationship scroll (404): `older` does it there.

Deliberately absent: InstanceOf towards a job's runs. A job has tens of thousands of runs, and their inputs stand on the
runs themselves, where Consumes finds them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, Literal, Protocol

from app.edges.datahub.urns import find_entity_type
from app.edges.datahub.wire import Tally, Unusable, Wire
from app.trail import Edge

#: what may point at something in the frontier and stand downstream of it, or own it
INCOMING: Final = (
    *("DownstreamOf", "DerivedFrom", "Consumes", "DataProcessInstanceConsumes", "TrainedBy"),
    *("Contains", "KeyedBy", "DashboardContainsDashboard", "DeployedTo", "MemberOf", "SiblingOf"),
)
#: entity type -> what it points at downstream, or what its serving state and last training are read from
OUTGOING: Final[dict[str, tuple[str, ...]]] = {
    "dataset": ("SiblingOf",),
    "mlModel": ("DeployedTo", "MemberOf", "TrainedBy", "UsedBy"),
    "mlModelGroup": ("TrainedBy", "UsedBy"),
    "dataJob": ("Produces",),
    "dataProcessInstance": ("Produces", "DataProcessInstanceProduces", "InstanceOf"),
}

PAGE = 5000  # rows; the server's own limit for API calls (GRAPH_SERVICE_LIMIT_RESULTS_API_DEFAULT)
URNS = 5000  # in one filter; Elasticsearch takes 65,536 terms, bodies stay under 1 MB
MOST_EDGES = 250_000  # of one frontier and direction: beyond it a walk would not end in time
MOST_PAGES = 500  # pages may be short (hidden entities are filtered after paging), so they are counted as well


def find_outgoing(urns: Iterable[str]) -> tuple[str, ...]:
    """The relationship types worth asking for from these urns; () when none of their types has one."""
    types = {find_entity_type(urn) or "" for urn in urns}
    return tuple(sorted({name for entity_type in types for name in OUTGOING.get(entity_type, ())}))


class OlderRelationships(Protocol):
    async def fetch(self, urns: frozenset[str], tally: Tally) -> frozenset[Edge]: ...


class Relationships:
    """Edges around a frontier; finds out once whether the server can scroll relationships."""

    def __init__(self, wire: Wire, older: OlderRelationships) -> None:
        self._wire = wire
        self._older = older
        self.scrolls: bool | None = None

    async def fetch(self, urns: frozenset[str], tally: Tally) -> frozenset[Edge]:
        """All edges into the frontier and the wanted ones out of it. What is missing stands in `tally.reasons`."""
        if not urns:
            return frozenset()
        if not await self.fetch_capability(tally):
            return await self._older.fetch(urns, tally)
        ordered = sorted(urns)
        outgoing = find_outgoing(urns)
        starts = [urn for urn in ordered if OUTGOING.get(find_entity_type(urn) or "")]
        parts = await asyncio.gather(
            *(self._scroll("destinationFilter", INCOMING, chunk, tally) for chunk in _chunks(ordered)),
            *(self._scroll("sourceFilter", outgoing, chunk, tally) for chunk in _chunks(starts)),
        )
        return frozenset(edge for part in parts for edge in part)

    async def fetch_capability(self, tally: Tally) -> bool:
        """Whether the server scrolls relationships (DataHub 1.6 and later); asked once."""
        if self.scrolls is None:
            self.scrolls = await self._probe(tally)
        return self.scrolls

    async def _probe(self, tally: Tally) -> bool:
        """Ask for nothing: a server that knows the route answers, an older one says 404 or 405."""
        try:
            await self._page("destinationFilter", ("DeployedTo",), ["urn:li:mlModelDeployment:none"], None, tally)
        except Unusable as exc:
            # any other failure is not about the route; the real request will say what it is
            return exc.status not in (404, 405)
        return True

    async def _page(
        self,
        side: Literal["sourceFilter", "destinationFilter"],
        types: Sequence[str],
        urns: Sequence[str],
        scroll_id: str | None,
        tally: Tally,
    ) -> object:
        params = [("relationshipTypes", name) for name in types]
        params += [("direction", "OUTGOING"), ("count", str(PAGE)), ("pitKeepAlive", "5m")]
        if scroll_id is not None:
            params.append(("scrollId", scroll_id))
        criterion = {"field": "urn", "condition": "EQUAL", "values": list(urns)}
        body = {side: {"and": [{"criteria": [criterion]}]}}
        return await self._wire.post("/openapi/v3/relationship/scroll", body, params=params, tally=tally)

    async def _scroll(
        self,
        side: Literal["sourceFilter", "destinationFilter"],
        types: Sequence[str],
        urns: Sequence[str],
        tally: Tally,
    ) -> set[Edge]:
        edges: set[Edge] = set()
        scroll_id: str | None = None
        seen: set[str] = set()
        while True:
            try:
                page = await self._page(side, types, urns, scroll_id, tally)
            except Unusable as exc:
                tally.reasons.append(f"A page of relationships could not be read: {exc.reason}")
                return edges
            rows, scroll_id = parse_page(page, tally)
            edges |= rows
            if scroll_id is None:
                return edges
            if scroll_id in seen:
                tally.reasons.append("DataHub's relationship scroll stopped advancing before its end.")
                return edges
            if len(edges) > MOST_EDGES or len(seen) >= MOST_PAGES:
                tally.reasons.append(
                    f"One step of the walk has more than {MOST_EDGES} relationships or {MOST_PAGES} pages: not all were read."
                )
                return edges
            seen.add(scroll_id)


def parse_page(page: object, tally: Tally) -> tuple[set[Edge], str | None]:
    """`{scrollId, results: [{relationshipType, source: {urn}, destination: {urn}}]}` -> edges, next scroll id or None."""
    results = page.get("results") if isinstance(page, dict) else None
    if not isinstance(page, dict) or not isinstance(results, list):
        tally.reasons.append("DataHub answered a relationship scroll without results.")
        return set(), None
    edges: set[Edge] = set()
    for row in results:
        edge = _parse_edge(row)
        if edge is None:
            tally.reasons.append("A relationship came without its type, source or destination.")
        else:
            edges.add(edge)
    scroll_id = page.get("scrollId")
    return edges, scroll_id if isinstance(scroll_id, str) and scroll_id else None


def _parse_edge(row: object) -> Edge | None:
    if not isinstance(row, dict):
        return None
    ends = [row.get("source"), row.get("destination")]
    source, destination = (end.get("urn") if isinstance(end, dict) else None for end in ends)
    name = row.get("relationshipType")
    if isinstance(name, str) and isinstance(source, str) and isinstance(destination, str):
        return Edge(source, name, destination)
    return None


def _chunks(urns: Sequence[str]) -> list[Sequence[str]]:
    return [urns[start : start + URNS] for start in range(0, len(urns), URNS)]
