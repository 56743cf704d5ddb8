"""Every urn of one entity type, pages followed to the end: OpenAPI entity scroll, GraphQL on servers without it.

Both are served from DataHub's search index, so an entity written seconds ago may be missing; nothing that decides a
verdict rests on a listing alone. A listing that does not come whole is an exception, never a short answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from app.edges.datahub.documents import ENTITIES
from app.edges.datahub.wire import Tally, Unusable, Wire
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


Page: TypeAlias = "tuple[list[tuple[str, bool]], str | None, object]"  # (urn, soft-deleted), next scroll id, total
Ask: TypeAlias = "Callable[[Wire, str, str | None, Tally], Awaitable[Page]]"


async def fetch_listing(wire: Wire, entity_type: str, *, most: int = MOST_URNS) -> tuple[str, ...]:
    """Sorted urns, soft-deleted ones left out. Raises `Transient` for a listing cut short, `Permanent` above `most`."""
    try:
        return await _follow(wire, entity_type, _scroll, most)
    except Unusable as exc:
        if exc.status not in (404, 405) or entity_type not in _GRAPHQL:
            raise Transient(f"The {entity_type} entities could not be listed: {exc.reason}") from None
    try:
        return await _follow(wire, entity_type, _search, most)
    except Unusable as exc:
        raise Transient(f"The {entity_type} entities could not be listed: {exc.reason}") from None


async def _follow(wire: Wire, entity_type: str, ask: Ask, most: int) -> tuple[str, ...]:
    urns: set[str] = set()
    removed: set[str] = set()
    scroll_id: str | None = None
    seen: set[str] = set()
    while True:
        rows, scroll_id, total = await ask(wire, entity_type, scroll_id, Tally())
        for urn, gone in rows:
            (removed if gone else urns).add(urn)
        if len(urns) > most:
            raise Permanent(f"The catalog has more than {most} {entity_type} entities; Tether lists at most that many.")
        if scroll_id is None:
            break
        if scroll_id in seen:
            raise Unusable("the listing stopped advancing before its end.")
        seen.add(scroll_id)
    if isinstance(total, int) and total > len(urns) + len(removed):
        raise Unusable(f"the listing ended after {len(urns) + len(removed)} of {total}.")
    return tuple(sorted(urns))


async def _scroll(wire: Wire, entity_type: str, scroll_id: str | None, tally: Tally) -> Page:
    params = [("count", str(PAGE)), ("skipCache", "true"), ("pitKeepAlive", "5m")]
    if scroll_id is not None:
        params.append(("scrollId", scroll_id))
    body = {"entities": [entity_type], "aspects": ["status"]}
    page = await wire.post("/openapi/v3/entity/scroll", body, params=params, tally=tally)
    entities = page.get("entities") if isinstance(page, dict) else None
    if not isinstance(entities, list):
        raise Unusable("the answer has no entities.")
    rows = [(_urn(row), _removed(row)) for row in entities]
    return rows, _next(page.get("scrollId")), page.get("totalCount")


async def _search(wire: Wire, entity_type: str, scroll_id: str | None, tally: Tally) -> Page:
    variables = {"types": [_GRAPHQL[entity_type]], "count": PAGE, "scrollId": scroll_id}
    data = await wire.post_graphql(ENTITIES, variables, tally=tally)
    page = data.get("scrollAcrossEntities")
    results = page.get("searchResults") if isinstance(page, dict) else None
    if not isinstance(page, dict) or not isinstance(results, list):
        raise Unusable("the answer has no search results.")
    rows = [(_urn(row.get("entity") if isinstance(row, dict) else None), False) for row in results]
    return rows, _next(page.get("nextScrollId")), page.get("total")


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
