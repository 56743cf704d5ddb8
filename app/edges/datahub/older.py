"""Edges into a frontier on servers before 1.6: GraphQL `relationships`, and one REST request where GraphQL is blind.

GraphQL knows no mlModelDeployment (one such urn makes the whole field fail), and answers null for an entity that is only
referenced, never ingested. Both are asked for one by one over REST.
The traps that shape the numbers: a query that visits more than 20,000 entities answers *empty without an error*, and
offsets beyond 10,000 fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.edges.datahub.documents import RELATIONSHIPS
from app.edges.datahub.gathering import gather_or_cancel
from app.edges.datahub.relationships import INCOMING
from app.edges.datahub.urns import find_entity_type
from app.edges.datahub.wire import DataHubWire, Tally, Unusable
from app.trail import Edge

ENTITIES = 40  # a request
ROWS = 200  # a page: 40 x 200 stays well under 20,000 visited entities
LAST_OFFSET = 10_000


class GraphqlRelationships:
    """Fulfils `relationships.OlderRelationships`."""

    def __init__(self, wire: DataHubWire) -> None:
        self._wire = wire

    async def fetch(self, urns: frozenset[str], tally: Tally) -> frozenset[Edge]:
        """As `Relationships.fetch`. The requests grow with the frontier here; the server offers nothing better."""
        blind = {urn for urn in urns if find_entity_type(urn) == "mlModelDeployment"}
        seen = sorted(urns - blind)
        chunks = [seen[start : start + ENTITIES] for start in range(0, len(seen), ENTITIES)]
        parts = await gather_or_cancel(self._fetch_chunk(chunk, tally) for chunk in chunks)
        edges = {edge for part, _ in parts for edge in part}
        blind |= {urn for _, unread in parts for urn in unread}
        for part in await gather_or_cancel(self._fetch_one(urn, tally) for urn in sorted(blind)):
            edges |= part
        return frozenset(edges)

    async def _fetch_chunk(self, urns: list[str], tally: Tally) -> tuple[set[Edge], set[str]]:
        with tally.about(urns) as part:
            return await self._fetch_pages(urns, part)

    async def _fetch_pages(self, urns: list[str], tally: Tally) -> tuple[set[Edge], set[str]]:
        """Edges, and the urns that GraphQL did not answer fully."""
        edges: set[Edge] = set()
        unread: set[str] = set()
        start, pending = 0, urns
        while pending:
            try:
                data = await self._ask(pending, start, tally)
                pending = parse_entities(data, pending, start, edges, unread)
            except Unusable as exc:
                tally.reasons.append(f"The relationships of {len(pending)} entities could not be read: {exc.reason}")
                return edges, unread
            start += ROWS
            if pending and start + ROWS > LAST_OFFSET:
                tally.reasons.append(
                    f"More than {LAST_OFFSET} relationships of {pending[0]}: this server cannot list them all."
                )
                return edges, unread
        return edges, unread

    async def _ask(self, urns: Sequence[str], start: int, tally: Tally) -> Mapping[str, Any]:
        variables = {
            "urns": list(urns),
            "incoming": list(INCOMING),
            "start": start,
            "count": ROWS,
        }
        return await self._wire.post_graphql(RELATIONSHIPS, variables, tally=tally)

    async def _fetch_one(self, urn: str, tally: Tally) -> set[Edge]:
        with tally.about([urn]) as part:
            try:
                return await self._list(urn, part)
            except Unusable as exc:
                part.reasons.append(f"The relationships of {urn} could not be read: {exc.reason}")
                return set()

    async def _list(self, urn: str, tally: Tally) -> set[Edge]:
        edges: set[Edge] = set()
        start = 0
        while True:
            params = [("urn", urn), ("direction", "INCOMING"), ("start", str(start)), ("count", str(ROWS))]
            params += [("relationshipTypes", name) for name in INCOMING]
            page = await self._wire.get("/openapi/relationships/v1/", params=params, tally=tally)
            rows = page.get("entities") if isinstance(page, dict) else None
            total = page.get("total") if isinstance(page, dict) else None
            if not isinstance(rows, list) or not isinstance(total, int):
                raise Unusable("a page of relationships came without entities or total.")
            for row in rows:
                edges.add(Edge(_text(row, "urn"), _text(row, "relationshipType"), urn))
            start += ROWS
            if start >= total and len(rows) < ROWS:
                return edges
            if start + ROWS > LAST_OFFSET:
                raise Unusable(f"there are more than {LAST_OFFSET}, and this server cannot list them all.")


def parse_entities(
    data: Mapping[str, Any], urns: Sequence[str], start: int, edges: set[Edge], unread: set[str]
) -> list[str]:
    """Add the page's edges; return the urns that have a further page. Raises `Unusable` for another shape.

    `total` is corrected by the server for the current page only, so a full page asks for the next one as well.
    """
    rows = data.get("entities")
    if not isinstance(rows, list) or len(rows) != len(urns):
        raise Unusable("a GraphQL page of relationships does not answer for every entity asked for.")
    more: list[str] = []
    for urn, row in zip(urns, rows, strict=True):
        if row is None:
            unread.add(urn)
            continue
        length, total = _add_rows(urn, row, edges, unread)
        if start + ROWS < total or length >= ROWS:
            more.append(urn)
    return more


def _add_rows(urn: str, entity: object, edges: set[Edge], unread: set[str]) -> tuple[int, int]:
    """Rows on this page, and the total that the server claims."""
    side = entity.get("incoming") if isinstance(entity, dict) else None
    rows = side.get("relationships") if isinstance(side, dict) else None
    if not isinstance(side, dict) or not isinstance(rows, list):
        raise Unusable(f"the relationships of {urn} came without their rows.")
    for row in rows:
        name = _text(row, "type")
        other = row.get("entity")
        if isinstance(other, dict):
            edges.add(Edge(_text(other, "urn"), name, urn))
        else:
            unread.add(urn)  # something that GraphQL has no type for: REST names it
    total = side.get("total")
    return len(rows), total if isinstance(total, int) else 0


def _text(row: object, key: str) -> str:
    value = row.get(key) if isinstance(row, dict) else None
    if not isinstance(value, str):
        raise Unusable(f"a relationship came without its {key}.")
    return value
