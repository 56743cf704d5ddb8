"""The OpenAPI v3 routes of entities: written, read and listed by type.

Absent on purpose: single-aspect routes, generic search, and the routes of the registry.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.catalog import registry
from app.catalog.answers import render_entities, show_entity
from app.catalog.mcp import parse_entities
from app.catalog.proposal import Change, Proposal, Written
from app.catalog.refusal import RequestRefused
from app.catalog.routing import endpoint, read_flag, read_list, read_number, read_texts, require_object
from app.catalog.scrolling import EntityQuery, limit_count
from app.catalog.store import CatalogStore

_DEFAULT_COUNT = 10


class OpenApi:
    """The endpoints over one store."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        """In matching order: fixed names before `{entity}`."""
        v3 = "/openapi/v3"
        return [
            Route(f"{v3}/entity/scroll", endpoint(self._scroll_entities), methods=["POST"]),
            Route(f"{v3}/entity/{{entity}}/batchGet", endpoint(self._fetch_batch), methods=["POST"]),
            Route(f"{v3}/entity/{{entity}}", endpoint(self._write), methods=["POST", "PATCH"]),
            Route(f"{v3}/entity/{{entity}}/{{urn:path}}", endpoint(self._delete), methods=["DELETE"]),
            Route(f"{v3}/entity/{{entity}}/{{urn:path}}", endpoint(self._fetch_one), methods=["GET", "HEAD"]),
            Route("/openapi/v1/trace/write/{trace}", endpoint(self._trace), methods=["POST"]),
        ]

    def _write(self, request: Request, body: Any) -> Response:
        entity_type = _entity_type(request)
        change: Change = "PATCH" if request.method == "PATCH" else "UPSERT"
        if change == "UPSERT" and read_flag(request, "createIfNotExists"):
            change = "CREATE"
        if change == "UPSERT" and read_flag(request, "createEntityIfNotExists"):
            change = "CREATE_ENTITY"
        written = self._store.write(parse_entities(entity_type, body, change))
        system = read_flag(request, "systemMetadata")
        # Asynchronous or not, the write is done; the status says what the client asked for.
        status = 202 if read_flag(request, "async", default=True) else 200
        return JSONResponse(_show_written(written, system=system), status, headers={"traceparent": _new_trace()})

    def _delete(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - the SDK sends `[]`
        urn, names = _urn(request), read_list(request, "aspects")
        if names:
            self._store.write(Proposal(urn, name, "DELETE") for name in names)
        else:
            self._store.delete(urn)
        return Response(status_code=200)

    def _fetch_one(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - GET has none
        urn = _urn(request)
        present, removed = self._store.fetch_presence(urn)
        head = (
            request.method == "HEAD"
        )  # whether it exists: GMS says no of what is soft-deleted, unless asked otherwise
        if not present or (head and removed and not read_flag(request, "includeSoftDelete")):
            raise RequestRefused(404, f"Entity {urn} not found")
        if head:
            return Response(status_code=204)
        names = read_list(request, "aspects") or None
        aspects = self._store.fetch_aspects([urn], names).get(urn, {})
        return JSONResponse(show_entity(urn, aspects, system=read_flag(request, "systemMetadata")))

    def _fetch_batch(self, request: Request, body: Any) -> Response:
        entity_type = _entity_type(request)
        wanted = _parse_batch(entity_type, body)
        names = {name for asked in wanted.values() for name in asked}
        everything = any(not asked for asked in wanted.values())
        found = self._store.fetch_texts(wanted, None if everything else sorted(names))
        texts = [text for text in found if not wanted[text.urn] or text.aspect in wanted[text.urn]]
        urns = dict.fromkeys(text.urn for text in texts)
        in_order = [urn for urn in wanted if urn in urns]  # what does not exist is left out
        content = render_entities(in_order, texts, system=read_flag(request, "systemMetadata"))
        return Response(content, media_type="application/json")

    def _scroll_entities(self, request: Request, body: Any) -> Response:
        asked = require_object(body if body is not None else {})
        types = read_texts(asked.get("entities"), "entities")
        for entity_type in types:
            registry.entity_aspects(entity_type)
        page = self._store.scroll_entities(
            EntityQuery(
                types=types,
                query=request.query_params.get("query", "*"),
                filter=asked.get("filter"),
                include_removed=read_flag(request, "includeSoftDelete"),
            ),
            count=limit_count(read_number(request, "count"), _DEFAULT_COUNT),
            scroll_id=request.query_params.get("scrollId"),
        )
        # No `aspects` at all: urns only. An empty list: every aspect.
        names = asked.get("aspects")
        wanted = [] if names is None else [urn for urn, _ in page.urns]
        texts = self._store.fetch_texts(wanted, read_texts(names, "aspects") or None)
        entities = render_entities((urn for urn, _ in page.urns), texts, system=read_flag(request, "systemMetadata"))
        head = json.dumps({"scrollId": page.scroll_id, "totalCount": page.total})
        return Response(f'{head[:-1]}, "entities": {entities}}}', media_type="application/json")

    def _trace(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - every write is traced alike
        asked = require_object(body)
        found = self._store.fetch_aspects(asked)
        return JSONResponse(
            {
                urn: {name: _show_trace(written=name in found.get(urn, {})) for name in read_texts(names, "aspects")}
                for urn, names in asked.items()
            }
        )


def _show_trace(*, written: bool) -> dict[str, Any]:
    state = {"writeStatus": "ACTIVE_STATE" if written else "ERROR"}
    return {"success": written, "primaryStorage": state, "searchStorage": state}


def _show_written(written: tuple[Written, ...], *, system: bool) -> list[dict[str, Any]]:
    aspects: dict[str, dict[str, Any]] = {}
    for one in written:
        entity = aspects.setdefault(one.urn, {})
        if one.stored is not None:
            entity[one.aspect] = one.stored
    return [show_entity(urn, found, system=system) for urn, found in aspects.items()]


def _parse_batch(entity_type: str, body: Any) -> dict[str, frozenset[str]]:
    if not isinstance(body, list):
        raise RequestRefused(400, "Expected a list of entities to get")
    wanted: dict[str, frozenset[str]] = {}
    for item in body:
        urn = item.get("urn") if isinstance(item, dict) else None
        if not isinstance(urn, str) or registry.parse_entity_type(urn) != entity_type:
            raise RequestRefused(400, f"Expected an entity with an urn of type {entity_type}: {item!r}"[:500])
        asked = frozenset(item) - {"urn"}
        for name in asked:
            registry.require_aspect(entity_type, name)
        wanted[urn] = asked
    return wanted


def _entity_type(request: Request) -> str:
    entity_type: str = request.path_params["entity"]
    registry.entity_aspects(entity_type)
    return entity_type


def _urn(request: Request) -> str:
    urn: str = request.path_params["urn"]
    if registry.parse_entity_type(urn) != _entity_type(request):
        raise RequestRefused(400, f"The urn {urn} is not of type {_entity_type(request)}")
    return urn


def _new_trace() -> str:
    """A W3C trace parent whose id begins with the time in microseconds, as the SDK reads it."""
    return f"00-{time.time_ns() // 1000:016x}{secrets.token_hex(8)}-{secrets.token_hex(8)}-01"
