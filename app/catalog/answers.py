"""The JSON of answers, apart from HTTP: how an aspect, an edge and an error look on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from app.catalog.proposal import Stored
from app.catalog.reading import Text
from app.catalog.refusal import ConditionFailed, RequestRefused
from app.catalog.scrolling import ScrollRow


def show_aspect(stored: Stored, *, system: bool) -> dict[str, Any]:
    """OpenAPI v3."""
    shown: dict[str, Any] = {"value": stored.value}
    if system:
        shown["systemMetadata"] = stored.system
    return shown


def show_entity(urn: str, aspects: Mapping[str, Stored], *, system: bool) -> dict[str, Any]:
    """OpenAPI v3: the urn and each aspect under its name."""
    return {"urn": urn, **{name: show_aspect(stored, system=system) for name, stored in aspects.items()}}


def render_entities(urns: Iterable[str], texts: Iterable[Text], *, system: bool) -> str:
    """OpenAPI v3: a JSON list of these entities, each with the aspects given for it. What is stored is JSON already; parsing
    and printing it again would take most of the time of a large answer."""
    members: dict[str, list[str]] = {urn: [f'{{"urn":{json.dumps(urn)}'] for urn in urns}
    for text in texts:
        metadata = f',"systemMetadata":{text.system}' if system else ""
        members[text.urn].append(f'"{text.aspect}":{{"value":{text.value}{metadata}}}')
    return f"[{','.join(','.join(member) + '}' for member in members.values())}]"


def show_edge(row: ScrollRow) -> dict[str, Any]:
    """OpenAPI v3 relationship/scroll."""
    return {
        "relationshipType": row.name,
        "source": {"urn": row.source, "entityType": row.source_type},
        "destination": {"urn": row.destination, "entityType": row.destination_type},
    }


def show_lineage(row: ScrollRow) -> dict[str, Any]:
    """OpenAPI v3 lineage/scroll: the edge and which of its ends is upstream."""
    upstream, downstream = (row.destination, row.source) if row.lineage > 0 else (row.source, row.destination)
    return {**show_edge(row), "upstream": upstream, "downstream": downstream}


def show_enveloped(urn: str, entity_type: str, aspects: Iterable[Stored]) -> dict[str, Any]:
    """Rest.li entitiesV2."""
    return {
        "urn": urn,
        "entityName": entity_type,
        "aspects": {
            stored.aspect: {
                "name": stored.aspect,
                "type": "VERSIONED",
                "version": 0,
                "value": stored.value,
                "created": stored.system.get("aspectCreated", {"time": 0, "actor": "urn:li:corpuser:unknown"}),
                "systemMetadata": stored.system,
            }
            for stored in aspects
        },
    }


def show_refusal(refused: RequestRefused, *, restli: bool) -> tuple[int, dict[str, Any]]:
    """(HTTP status, body). A conflict is 412 on OpenAPI; Rest.li reports every failed validation as 422."""
    status = 422 if restli and isinstance(refused, ConditionFailed) else refused.status
    body: dict[str, Any] = {"message": refused.message, "status": status}
    if restli:
        return status, {**body, "exceptionClass": "com.linkedin.restli.server.RestLiServiceException"}
    return status, {**body, "error": _TITLES.get(status, "Error")}


_TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    412: "Precondition Error",
    422: "Validation Error",
}
