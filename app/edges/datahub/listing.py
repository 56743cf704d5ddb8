"""Every entity of one type, pages followed to the end: OpenAPI entity scroll, GraphQL on servers without it.

Both are served from DataHub's search index, so an entity written seconds ago may be missing; no walk rests on a listing
alone. A listing that does not come whole is an exception, never a short answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from app.edges.datahub.documents import ENTITIES
from app.edges.datahub.wire import DataHubWire, Tally, Unusable
from app.words import Permanent, Transient

PAGE = 10_000  # the most the server gives; asked for more, it gives 5,000
MOST_URNS = 500_000  # about 60 MB of text; a catalog of this size needs a narrower question

#: registry name -> GraphQL's EntityType, which has no deployments
_GRAPHQL: Final = {
    "dataset": "DATASET",
    "mlFeature": "MLFEATURE",
    "mlPrimaryKey": "MLPRIMARY_KEY",
    "mlFeatureTable": "MLFEATURE_TABLE",
    "mlModel": "MLMODEL",
    "mlModelGroup": "MLMODEL_GROUP",
    "dashboard": "DASHBOARD",
    "dataJob": "DATA_JOB",
    "dataProcessInstance": "DATA_PROCESS_INSTANCE",
}

Row = dict[str, Any]


async def fetch_listing(
    wire: DataHubWire, entity_type: str, *, most: int = MOST_URNS, tally: Tally | None = None
) -> tuple[str, ...]:
    """Sorted urns, soft-deleted ones left out. Raises `Transient` for a listing cut short, `Permanent` above `most`."""
    tally = tally or Tally()
    try:
        pages = [page async for page in fetch_scrolled(wire, entity_type, ("status",), tally, most=most)]
        return tuple(sorted(row["urn"] for page in pages for row in page if not _removed(row)))
    except Unusable as exc:
        if exc.status not in (404, 405) or entity_type not in _GRAPHQL:
            raise find_failure(wire, entity_type, exc) from None
    try:
        pages = [page async for page in _searched(wire, entity_type, tally, most)]
        return tuple(sorted(row["urn"] for page in pages for row in page))
    except Unusable as exc:
        raise find_failure(wire, entity_type, exc) from None


def find_failure(wire: DataHubWire, entity_type: str, exc: Unusable) -> Transient:
    """A listing that is not whole, as an exception for whoever needs all of it."""
    return Transient(f"The {entity_type} entities of DataHub at {wire.host} could not be listed: {exc.reason}")


async def fetch_scrolled(
    wire: DataHubWire, entity_type: str, aspects: Sequence[str], tally: Tally, *, most: int
) -> AsyncIterator[list[Row]]:
    """Pages of `{"urn": u, "<aspect>": {"value": {...}}}`, soft-deleted entities among them. Raises `Unusable`, `Permanent`."""
    whole = _Whole(entity_type, most)
    body = {"entities": [entity_type], "aspects": list(aspects)}
    scroll_id: str | None = None
    while True:
        params = [("count", str(PAGE)), ("skipCache", "true"), ("pitKeepAlive", "5m")]
        params += [("scrollId", scroll_id)] if scroll_id else []
        page = await wire.post("/openapi/v3/entity/scroll", body, params=params, tally=tally)
        entities = page.get("entities") if isinstance(page, dict) else None
        if not isinstance(entities, list):
            raise Unusable("the answer has no entities.")
        scroll_id = _next(page.get("scrollId"))
        whole.add(entities, scroll_id, page.get("totalCount"))
        yield entities
        if scroll_id is None:
            return


async def _searched(wire: DataHubWire, entity_type: str, tally: Tally, most: int) -> AsyncIterator[list[Row]]:
    whole = _Whole(entity_type, most)
    scroll_id: str | None = None
    while True:
        variables = {"types": [_GRAPHQL[entity_type]], "count": PAGE, "scrollId": scroll_id}
        data = await wire.post_graphql(ENTITIES, variables, tally=tally)
        page = data.get("scrollAcrossEntities")
        results = page.get("searchResults") if isinstance(page, dict) else None
        if not isinstance(page, dict) or not isinstance(results, list):
            raise Unusable("the answer has no search results.")
        entities = [row.get("entity") if isinstance(row, dict) else None for row in results]
        scroll_id = _next(page.get("nextScrollId"))
        whole.add(entities, scroll_id, page.get("total"))
        yield [row for row in entities if isinstance(row, dict)]
        if scroll_id is None:
            return


class _Whole:
    """Counts the rows of a listing, and refuses one that stops advancing, ends too early or never ends."""

    def __init__(self, entity_type: str, most: int) -> None:
        self._entity_type = entity_type
        self._most = most
        self._urns: set[str] = set()
        self._seen: set[str] = set()

    def add(self, rows: Sequence[object], scroll_id: str | None, total: object) -> None:
        """One page. `total` is the server's own count, where it gives one."""
        self._urns.update(_urn(row) for row in rows)
        if len(self._urns) > self._most:
            raise Permanent(
                f"The catalog has more than {self._most} {self._entity_type} entities; Tether lists at most that many."
            )
        if scroll_id is None:
            if isinstance(total, int) and total > len(self._urns):
                raise Unusable(f"the listing ended after {len(self._urns)} of {total}.")
            return
        if scroll_id in self._seen:
            raise Unusable("the listing stopped advancing before its end.")
        self._seen.add(scroll_id)


def _urn(row: object) -> str:
    urn = row.get("urn") if isinstance(row, dict) else None
    if not isinstance(urn, str):
        raise Unusable("a row names no urn.")
    return urn


def _removed(row: object) -> bool:
    status = row.get("status") if isinstance(row, dict) else None
    value = status.get("value") if isinstance(status, dict) else None
    return isinstance(value, dict) and value.get("removed") is True


def _next(scroll_id: object) -> str | None:
    return scroll_id if isinstance(scroll_id, str) and scroll_id else None
