"""The OpenAPI routes of the graph: relationships and lineage, scrolled by filter or listed for one entity."""

from __future__ import annotations

from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.catalog import registry
from app.catalog.answers import show_edge, show_lineage
from app.catalog.refusal import RequestRefused
from app.catalog.routing import endpoint, read_list, read_number, read_texts, require_object
from app.catalog.scrolling import Direction, EdgeQuery, limit_count
from app.catalog.store import CatalogStore

_DEFAULT_COUNT = 10
_RELATED_COUNT = 200  # default page of the older route


class OpenApiGraph:
    """The endpoints over one store."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        """Two scrolls and the older list."""
        return [
            Route("/openapi/v3/relationship/scroll", endpoint(self._scroll_relationships), methods=["POST"]),
            Route("/openapi/v3/lineage/scroll", endpoint(self._scroll_lineage), methods=["POST"]),
            Route("/openapi/relationships/v1/", endpoint(self._fetch_related), methods=["GET"]),
        ]

    def _scroll_relationships(self, request: Request, body: Any) -> Response:
        asked = require_object(body if body is not None else {})
        if asked.get("edgeFilter"):
            raise RequestRefused(400, "This catalog keeps no properties of edges: edgeFilter cannot be applied")
        page = self._store.scroll_edges(
            EdgeQuery(
                names=read_list(request, "relationshipTypes"),
                source_types=read_list(request, "sourceTypes"),
                destination_types=read_list(request, "destinationTypes"),
                source_filter=asked.get("sourceFilter"),
                destination_filter=asked.get("destinationFilter"),
                direction=_direction(request),
                slice_id=read_number(request, "sliceId"),
                slice_max=read_number(request, "sliceMax"),
            ),
            count=limit_count(read_number(request, "count"), _DEFAULT_COUNT),
            scroll_id=request.query_params.get("scrollId"),
        )
        return JSONResponse({"scrollId": page.scroll_id, "results": [show_edge(row) for row in page.rows]})

    def _scroll_lineage(self, request: Request, body: Any) -> Response:
        urns = read_texts(require_object(body if body is not None else {}).get("urns"), "urns")
        direction = request.query_params.get("direction")
        if direction not in (None, "UPSTREAM", "DOWNSTREAM"):
            raise RequestRefused(400, f"direction {direction!r} is not UPSTREAM or DOWNSTREAM")
        page = self._store.scroll_edges(
            EdgeQuery(
                names=read_list(request, "relationshipTypes"),
                urns=urns,
                lineage_only=True,
                slice_id=read_number(request, "sliceId"),
                slice_max=read_number(request, "sliceMax"),
            ),
            count=limit_count(read_number(request, "count"), _DEFAULT_COUNT),
            scroll_id=request.query_params.get("scrollId"),
        )
        # As in GMS the direction is applied after the page is fetched: pages may be short before the last one.
        results = [shown for shown in map(show_lineage, page.rows) if _runs(shown, direction, frozenset(urns))]
        return JSONResponse({"scrollId": page.scroll_id, "results": results})

    def _fetch_related(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - GET has none
        urn = request.query_params.get("urn", "")
        registry.parse_entity_type(urn)
        incoming = request.query_params.get("direction", "OUTGOING") == "INCOMING"
        start, count = read_number(request, "start") or 0, limit_count(read_number(request, "count"), _RELATED_COUNT)
        names = read_list(request, "relationshipTypes")
        rows, total = self._store.fetch_related(urn, names, incoming=incoming, start=start, count=count)
        entities = [
            {
                "urn": row.source if incoming else row.destination,
                "relationshipType": row.name,
                **({"via": row.via} if row.via else {}),
            }
            for row in rows
        ]
        return JSONResponse({"start": start, "count": len(entities), "total": total, "entities": entities})


def _runs(shown: dict[str, Any], direction: str | None, urns: frozenset[str]) -> bool:
    if direction is None or not urns:
        return True
    return shown["upstream" if direction == "DOWNSTREAM" else "downstream"] in urns


def _direction(request: Request) -> Direction:
    found = request.query_params.get("direction", "OUTGOING")
    for direction in get_args(Direction):
        if found == direction:
            result: Direction = direction
            return result
    raise RequestRefused(400, f"direction {found!r} is not one of {', '.join(get_args(Direction))}")
