"""The edges into a frontier, read from DataHub's graph store: one request for thousands of entities, pages followed to the end.

Never the lineage search: it filters through the search index, caches empty answers, and knows no deployments.
`direction=OUTGOING` is always sent, because only then do the two filters mean what they say; what points at the frontier
is asked for with the destination filter. Servers before 1.6 have no relationship scroll (404): `older` does it there.

Deliberately absent: edges out of the frontier, which its own aspects tell (`drawn`); and InstanceOf towards a job's runs. A
job has tens of thousands of runs, and their inputs stand on the runs themselves, where Consumes finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from app.edges.datahub.gathering import gather_or_cancel
from app.edges.datahub.wire import DataHubWire, Tally, Unusable
from app.trail import Edge

#: what may point at something in the frontier and stand downstream of it, or own it
INCOMING: Final = (
    *("DownstreamOf", "DerivedFrom", "Consumes", "DataProcessInstanceConsumes", "TrainedBy", "UsedBy"),
    *("Contains", "KeyedBy", "DashboardContainsDashboard", "DeployedTo", "MemberOf", "VersionOf", "SiblingOf"),
)
PAGE = 10_000  # rows; the most the server gives (GRAPH_SERVICE_LIMIT_RESULTS_MAX): asked for more, it gives 5,000
URNS = 20_000  # in one filter; the server visits at most that many in a request, Elasticsearch takes 65,536 terms
MOST_EDGES = 250_000  # of one frontier: beyond it a walk would not end in time
MOST_PAGES = 500  # pages may be short (hidden entities are filtered after paging), so they are counted as well


class _NoScroll(Exception):  # noqa: N818 - it is not an error of this program
    """The server has no relationship scroll."""


class OlderRelationships(Protocol):
    async def fetch(self, urns: frozenset[str], tally: Tally) -> frozenset[Edge]: ...


class Relationships:
    """Edges into a frontier; finds out once whether the server can scroll relationships."""

    def __init__(self, wire: DataHubWire, older: OlderRelationships) -> None:
        self._wire = wire
        self._older = older
        self.scrolls: bool | None = None

    async def fetch(self, urns: frozenset[str], tally: Tally) -> frozenset[Edge]:
        """All edges into the frontier. What is missing stands in `tally.reasons`."""
        if not urns:
            return frozenset()
        if self.scrolls is False:
            return await self._older.fetch(urns, tally)
        ordered = sorted(urns)
        count = -(-len(ordered) // URNS)
        # every so-many-th, so that kinds of entities with many edges do not meet in one chunk and its pages
        first, *rest = (ordered[start::count] for start in range(count))
        try:
            # the first request finds out whether the server knows the route; the others go together
            edges = await self._scroll(first, tally, probing=self.scrolls is None)
        except _NoScroll:
            self.scrolls = False
            return await self._older.fetch(urns, tally)
        parts = await gather_or_cancel(self._scroll(chunk, tally) for chunk in rest)
        return frozenset(edges.union(*parts))

    async def fetch_capability(self, tally: Tally) -> bool:
        """Whether the server scrolls relationships (DataHub 1.6 and later); asked once."""
        if self.scrolls is None:
            await self.fetch(frozenset({"urn:li:mlModelDeployment:none"}), tally)
        return bool(self.scrolls)

    async def _page(self, urns: Sequence[str], scroll_id: str | None, tally: Tally) -> object:
        params = [("relationshipTypes", name) for name in INCOMING]
        params += [("direction", "OUTGOING"), ("count", str(PAGE)), ("pitKeepAlive", "5m")]
        if scroll_id is not None:
            params.append(("scrollId", scroll_id))
        criterion = {"field": "urn", "condition": "EQUAL", "values": list(urns)}
        body = {"destinationFilter": {"and": [{"criteria": [criterion]}]}}
        return await self._wire.post("/openapi/v3/relationship/scroll", body, params=params, tally=tally)

    async def _scroll(self, urns: Sequence[str], tally: Tally, *, probing: bool = False) -> set[Edge]:
        with tally.about(urns) as part:
            return await self._scroll_pages(urns, part, probing=probing)

    async def _scroll_pages(self, urns: Sequence[str], tally: Tally, *, probing: bool) -> set[Edge]:
        """`probing`: raises `_NoScroll` where the server does not know the route, instead of noting a failure."""
        edges: set[Edge] = set()
        scroll_id: str | None = None
        seen: set[str] = set()
        while True:
            try:
                page = await self._page(urns, scroll_id, tally)
            except Unusable as exc:
                if probing and exc.status in (404, 405):
                    raise _NoScroll from None
                tally.reasons.append(f"A page of relationships could not be read: {exc.reason}")
                return edges
            self.scrolls, probing = True, False
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
