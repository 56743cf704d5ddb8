"""The Rest.li routes: what the SDK's emitter and `datahub ingest` use by default.

`async` is accepted and changes one thing only: a failed condition is then not reported, because GMS would check it after it
has answered. Absent on purpose: search, browse and usage actions.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.catalog import registry
from app.catalog.answers import show_enveloped
from app.catalog.mcp import parse_mce, parse_mcp
from app.catalog.proposal import Proposal, Stored
from app.catalog.refusal import ConditionFailed, Existing, RequestRefused
from app.catalog.routing import endpoint, read_number, require_object
from app.catalog.runs import describe_run, list_runs, roll_back
from app.catalog.store import CatalogStore

_LOG = logging.getLogger(__name__)


class RestLi:
    """The endpoints over one store."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store
        self._actions: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Any]] = {
            ("aspects", "ingestProposal"): self._ingest_proposal,
            ("aspects", "ingestProposalBatch"): self._ingest_batch,
            ("aspects", "getTimeseriesAspectValues"): self._fetch_events,
            ("entities", "ingest"): self._ingest_entity,
            ("entities", "batchIngest"): self._ingest_entities,
            ("entities", "delete"): self._delete,
            ("runs", "rollback"): lambda body: roll_back(store, body),
            ("runs", "list"): lambda body: list_runs(store, body),
            ("runs", "describe"): lambda body: describe_run(store, body),
        }

    def routes(self) -> list[Route]:
        """`POST /{resource}?action=` and the two reads."""
        actions = [
            Route(f"/{name}", self._endpoint(name), methods=["POST"]) for name in ("aspects", "entities", "runs")
        ]
        return [
            *actions,
            Route("/aspects/{urn:path}", endpoint(self._fetch_aspect, restli=True), methods=["GET"]),
            Route("/entitiesV2/{urn:path}", endpoint(self._fetch_entity, restli=True), methods=["GET"]),
        ]

    def _endpoint(self, resource: str) -> Any:
        def act(request: Request, body: Any) -> Response:
            name = request.query_params.get("action", "")
            action = self._actions.get((resource, name))
            if action is None:
                raise RequestRefused(400, f"POST action {name!r} not supported by this catalog for {resource}")
            return JSONResponse({"value": action(require_object(body))})

        return endpoint(act, restli=True)

    def _ingest_proposal(self, body: Mapping[str, Any]) -> str:
        proposal = parse_mcp(body.get("proposal"))
        self._write([proposal], asynchronous=_is_async(body))
        return proposal.urn

    def _ingest_batch(self, body: Mapping[str, Any]) -> str:
        self._write([parse_mcp(item) for item in _require_list(body, "proposals")], asynchronous=_is_async(body))
        return "success"

    def _ingest_entity(self, body: Mapping[str, Any]) -> str:
        self._ingest_snapshots([body])
        return "success"

    def _ingest_entities(self, body: Mapping[str, Any]) -> str:
        self._ingest_snapshots([{"entity": item} for item in _require_list(body, "entities")])
        return "success"

    def _ingest_snapshots(self, bodies: list[Mapping[str, Any]]) -> None:
        proposals: list[Proposal] = []
        for body in bodies:
            entity = body.get("entity")
            snapshot = entity.get("value") if isinstance(entity, Mapping) else None
            proposals.extend(parse_mce({"proposedSnapshot": snapshot, "systemMetadata": body.get("systemMetadata")}))
        self._write(proposals, asynchronous=False)

    def _write(self, proposals: list[Proposal], *, asynchronous: bool) -> None:
        if not asynchronous:
            self._store.write(proposals)
            return
        for proposal in proposals:
            try:
                self._store.write([proposal])
            except (ConditionFailed, Existing) as refused:
                _LOG.warning("asynchronous proposal dropped: %s", refused.message)

    def _delete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        urn = body.get("urn")
        if not isinstance(urn, str):
            raise RequestRefused(400, "action delete needs an urn")
        rows, series = self._store.delete(urn)
        return {"urn": urn, "rows": rows, "timeseriesRows": series}

    def _fetch_events(self, body: Mapping[str, Any]) -> dict[str, Any]:
        urn, aspect = body.get("urn"), body.get("aspect")
        if not isinstance(urn, str) or not isinstance(aspect, str):
            raise RequestRefused(400, "action getTimeseriesAspectValues needs urn and aspect")
        spec = registry.require_aspect(registry.parse_entity_type(urn), aspect)
        if body.get("filter"):
            raise RequestRefused(400, "This catalog cannot filter time series: leave out `filter`")
        limit = body.get("limit", 10)
        since, until = body.get("startTimeMillis"), body.get("endTimeMillis")
        if not all(isinstance(value, int) or value is None for value in (limit, since, until)):
            raise RequestRefused(400, "limit, startTimeMillis and endTimeMillis must be whole numbers")
        events = self._store.fetch_events(urn, spec.name, limit=limit, since=since, until=until)
        return {"entityName": spec.name, "aspectName": spec.name, "limit": limit, "values": [*map(_show_event, events)]}

    def _fetch_aspect(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - GET has none
        urn = request.path_params["urn"]
        name = request.query_params.get("aspect", "")
        spec = registry.require_aspect(registry.parse_entity_type(urn), name)
        stored = self._store.fetch_aspect(urn, name, read_number(request, "version") or 0)
        if stored is None:
            raise RequestRefused(404, f"Did not find urn: {urn} aspect: {name}")
        shown = {"aspect": {spec.record: stored.value}, "version": 0, "systemMetadata": stored.system}
        return JSONResponse(shown)

    def _fetch_entity(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - GET has none
        urn = request.path_params["urn"]
        entity_type = registry.parse_entity_type(urn)
        asked = request.query_params.get("aspects", "").removeprefix("List(").removesuffix(")")
        found = self._store.fetch_aspects([urn], [name for name in asked.split(",") if name] or None).get(urn, {})
        # GMS answers for every well-formed urn, with its key aspect at least, whether it exists or not.
        key = registry.key_aspect(entity_type)
        aspects = {key: Stored(key, registry.parse_key(urn), {}, 0), **found}
        return JSONResponse(show_enveloped(urn, entity_type, aspects.values()))


def _show_event(stored: Stored) -> dict[str, Any]:
    generic = {"value": json.dumps(stored.value, ensure_ascii=False), "contentType": "application/json"}
    return {"aspect": generic, "systemMetadata": stored.system}


def _is_async(body: Mapping[str, Any]) -> bool:
    return str(body.get("async", "")).lower() == "true"


def _require_list(body: Mapping[str, Any], name: str) -> list[Any]:
    found = body.get(name)
    if not isinstance(found, list):
        raise RequestRefused(400, f"`{name}` must be a list")
    return found
