"""Metadata change proposals as clients write them: Rest.li bodies, DataHub's file sink, OpenAPI entity lists.

Only shape is looked at here; whether an aspect fits its entity and its schema is decided when it is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.catalog import registry
from app.catalog.json_text import parse_json
from app.catalog.proposal import ACTOR, Change, Proposal, parse_change, parse_headers
from app.catalog.refusal import RequestRefused


def parse_mcp(found: Any, actor: str = ACTOR) -> Proposal:
    """One MCP with its aspect as `{"value": "<JSON>", "contentType"}` or `{"json": …}`; raises `RequestRefused` (400)."""
    if not isinstance(found, Mapping):
        raise RequestRefused(400, f"Not a metadata change proposal: {found!r}"[:500])
    urn, aspect = found.get("entityUrn"), found.get("aspectName")
    if not isinstance(urn, str) or not isinstance(aspect, str):
        raise RequestRefused(400, f"A metadata change proposal needs entityUrn and aspectName: {_shown(found)}")
    entity_type = registry.parse_entity_type(urn)
    if found.get("entityType") not in (None, entity_type):
        raise RequestRefused(400, f"entityType {found['entityType']!r} does not match the urn {urn}")
    change = parse_change(found.get("changeType", "UPSERT"))
    return Proposal(
        urn=urn,
        aspect=aspect,
        change=change,
        value=None if change == "DELETE" else _parse_generic_aspect(found.get("aspect"), urn, aspect),
        system=_require_object(found.get("systemMetadata"), "systemMetadata", urn),
        headers=parse_headers(found.get("headers")),
        actor=actor,
    )


def parse_entities(entity_type: str, found: Any, change: Change = "UPSERT", actor: str = ACTOR) -> Iterator[Proposal]:
    """The aspects of an OpenAPI v3 entity list: `[{"urn": …, "<aspect>": {"value", "systemMetadata", "headers"}}]`."""
    if not isinstance(found, list):
        raise RequestRefused(400, f"Expected a list of {entity_type} entities")
    for entity in found:
        urn = entity.get("urn") if isinstance(entity, Mapping) else None
        if not isinstance(urn, str) or registry.parse_entity_type(urn) != entity_type:
            raise RequestRefused(400, f"Expected an entity with an urn of type {entity_type}: {_shown(entity)}")
        for aspect, item in entity.items():
            if aspect == "urn":
                continue
            if not isinstance(item, Mapping) or "value" not in item:
                raise RequestRefused(400, f"Expected an object with `value` for aspect {aspect} of {urn}")
            yield Proposal(
                urn=urn,
                aspect=aspect,
                change=change,
                value=item["value"],
                system=_require_object(item.get("systemMetadata"), "systemMetadata", urn),
                headers=parse_headers(item.get("headers")),
                actor=actor,
            )


def parse_mce(found: Mapping[str, Any], actor: str = ACTOR) -> Iterator[Proposal]:
    """The aspects of a metadata change event (the older shape): one UPSERT for each of its snapshot's aspects."""
    snapshot: Any = found.get("proposedSnapshot")
    if isinstance(snapshot, Mapping) and "urn" not in snapshot and len(snapshot) == 1:
        (snapshot,) = snapshot.values()  # tagged with the snapshot's type
    urn = snapshot.get("urn") if isinstance(snapshot, Mapping) else None
    if not isinstance(urn, str) or not isinstance(snapshot.get("aspects"), list):
        raise RequestRefused(400, f"Not a metadata change event: {_shown(found)}")
    for tagged in snapshot["aspects"]:
        if not isinstance(tagged, Mapping) or len(tagged) != 1:
            raise RequestRefused(400, f"An aspect of {urn} is not tagged with its type: {_shown(tagged)}")
        ((record, value),) = tagged.items()
        aspect = registry.find_aspect_of_record(record)
        if aspect is None:
            raise RequestRefused(400, f"Unknown aspect type {record} for {urn}")
        system = _require_object(found.get("systemMetadata"), "systemMetadata", urn)
        yield Proposal(urn=urn, aspect=aspect, value=value, system=system, actor=actor)


def _parse_generic_aspect(found: Any, urn: str, aspect: str) -> Any:
    if isinstance(found, Mapping) and "json" in found:
        return found["json"]
    text = found.get("value") if isinstance(found, Mapping) else None
    if not isinstance(text, str):
        raise RequestRefused(400, f"Aspect {aspect} of {urn} has no value")
    try:
        return parse_json(text.encode())
    except ValueError as reason:
        raise RequestRefused(400, f"Aspect {aspect} of {urn} is not JSON: {reason}") from reason


def _require_object(found: Any, what: str, urn: str) -> Mapping[str, Any]:
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise RequestRefused(400, f"{what} of {urn} must be an object")
    return found


def _shown(found: Any) -> str:
    text = json.dumps(found, default=repr)
    return text if len(text) <= 300 else f"{text[:297]}..."
