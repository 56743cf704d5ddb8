"""Incidents through GraphQL: raising, changing, listing, and reading one.

`raiseIncident` with an `id` is refused as a conflict when it exists; without one it makes a new incident per call, retried
or not. `updateIncidentStatus` replaces the status: what is left out is gone, as in GMS. `updateIncident` leaves alone what
is left out (GMS after v1.7.0; up to then an omitted priority or assignee was cleared).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any

from graphql import GraphQLResolveInfo

from app.catalog import registry
from app.catalog.graphql_entities import EntityRef, find_ref, read_value, store_of
from app.catalog.graphql_schema import BY_REGISTRY
from app.catalog.proposal import ACTOR, Proposal, Stored
from app.catalog.refusal import RequestRefused
from app.catalog.store import CatalogStore

_INFO = "incidentInfo"
#: as stored: the lower, the more urgent
_PRIORITIES: Mapping[str, int] = {"CRITICAL": 0, "HIGH": 1, "MEDIUM": 2, "LOW": 3}
_NAMES: Mapping[int, str] = {number: name for name, number in _PRIORITIES.items()}
_DEFAULT_PAGE = 20


def resolve_raise(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> str:  # noqa: A002 - GraphQL's name
    """`raiseIncident(input:)`: the urn of the new incident."""
    resources = [*(input.get("resourceUrns") or ()), *([input["resourceUrn"]] if input.get("resourceUrn") else ())]
    if not resources:
        raise RequestRefused(400, "At least 1 resource urn must be defined to raise an incident.")
    if input["type"] == "CUSTOM" and not input.get("customType"):
        raise RequestRefused(500, "Failed to raise incident. customType is required for custom incident type.")
    urn = f"urn:li:incident:{input.get('id') or uuid.uuid4()}"
    now = _now()
    value = {
        "type": input["type"],
        "customType": input.get("customType"),
        "title": input.get("title"),
        "description": input.get("description"),
        "entities": list(dict.fromkeys(resources)),
        "priority": _PRIORITIES.get(input.get("priority") or ""),
        "assignees": _assign(input.get("assigneeUrns"), now),
        "status": _status(input.get("status") or {"state": "ACTIVE"}, now),
        "source": {"type": "MANUAL"},  # GMS ignores what the client says here
        "startedAt": input.get("startedAt"),
        "created": {"time": now, "actor": ACTOR},
    }
    store_of(info).write([Proposal(urn, _INFO, value=value, headers={"if-version-match": "-1"})])
    return urn


def resolve_update_status(_: Any, info: GraphQLResolveInfo, urn: str, input: Mapping[str, Any]) -> bool:  # noqa: A002
    """`updateIncidentStatus(urn:, input:)`."""
    _change(store_of(info), urn, {"status": _status(input, _now())})
    return True


def resolve_update(_: Any, info: GraphQLResolveInfo, urn: str, input: Mapping[str, Any]) -> bool:  # noqa: A002
    """`updateIncident(urn:, input:)`."""
    now = _now()
    changes: dict[str, Any] = {name: input[name] for name in ("title", "description", "startedAt") if name in input}
    if input.get("status"):
        changes["status"] = _status(input["status"], now)
    if "priority" in input:
        changes["priority"] = _PRIORITIES.get(input["priority"] or "")
    if input.get("resourceUrns"):
        changes["entities"] = list(dict.fromkeys(input["resourceUrns"]))
    if "assigneeUrns" in input:
        changes["assignees"] = _assign(input["assigneeUrns"], now)
    _change(store_of(info), urn, changes)
    return True


def resolve_incidents(ref: EntityRef, info: GraphQLResolveInfo, **filters: Any) -> dict[str, Any]:
    """`incidents(state:, …)`: newest first."""
    store = store_of(info)
    start, count = filters.get("start") or 0, filters.get("count") or _DEFAULT_PAGE
    rows, _ = store.fetch_related(ref.urn, ["IncidentOn"], incoming=True, start=0, count=10_000)
    found = store.fetch_aspects([row.source for row in rows], [_INFO, "status"])
    kept = [
        (aspects[_INFO].value["created"]["time"], urn)
        for urn, aspects in found.items()
        if _INFO in aspects and not _is_removed(aspects) and _matches(aspects[_INFO].value, filters)
    ]
    kept.sort(reverse=True)
    page = [EntityRef(urn, BY_REGISTRY["incident"]) for _, urn in kept[start : start + count]]
    return {"start": start, "count": len(page), "total": len(kept), "incidents": page}


def resolve_incident_field(field: str) -> Any:
    """Resolver of one field of an incident; the operation fails for an incident that does not exist."""

    def resolve(ref: EntityRef, info: GraphQLResolveInfo) -> Any:
        value = read_value(info, ref.urn, _INFO)
        return None if value is None else _show(value).get(field)

    return resolve


def _show(value: Mapping[str, Any]) -> dict[str, Any]:
    status = {"lastUpdated": {"time": 0}, **value["status"]}
    return {
        "incidentType": value["type"],
        "incidentStatus": status,
        "status": status,
        "priority": _NAMES.get(value.get("priority", -1)),
        "assignees": [find_ref(one["actor"]) for one in value.get("assignees", ())],
        "entity": find_ref(value["entities"][0]) if value["entities"] else None,
        **{name: value.get(name) for name in ("customType", "title", "description", "source", "startedAt", "created")},
    }


def _matches(value: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    status = value["status"]
    assignees = {one["actor"] for one in value.get("assignees", ())}
    wanted = filters.get("assigneeUrns")
    return (
        filters.get("state") in (None, status["state"])
        and filters.get("stage") in (None, status.get("stage"))
        and filters.get("priority") in (None, _NAMES.get(value.get("priority", -1)))
        and (wanted is None or bool(assignees.intersection(wanted)))
    )


def _is_removed(aspects: Mapping[str, Stored]) -> bool:
    return "status" in aspects and bool(aspects["status"].value.get("removed"))


def _change(store: CatalogStore, urn: str, changes: Mapping[str, Any]) -> None:
    if registry.parse_entity_type(urn) != "incident":
        raise RequestRefused(400, f"Failed to update incident. {urn} is not an incident.")
    stored = store.fetch_aspect(urn, _INFO)
    if stored is None:
        raise RequestRefused(404, "Failed to update incident. Incident does not exist.")
    expected = {"if-version-match": str(stored.version)}
    store.write([Proposal(urn, _INFO, value={**stored.value, **changes}, headers=expected)])


def _status(given: Mapping[str, Any], now: int) -> dict[str, Any]:
    return {
        "state": given["state"],
        "stage": given.get("stage"),
        "message": given.get("message"),
        "lastUpdated": {"time": now, "actor": ACTOR},
    }


def _assign(urns: list[str] | None, now: int) -> list[dict[str, Any]] | None:
    if urns is None:
        return None
    return [{"actor": urn, "assignedAt": {"time": now, "actor": ACTOR}} for urn in urns]


def _now() -> int:
    return time.time_ns() // 1_000_000
