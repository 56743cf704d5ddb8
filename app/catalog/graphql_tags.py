"""Tags through GraphQL: made, put on an entity, taken off it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from graphql import GraphQLResolveInfo

from app.catalog import registry
from app.catalog.graphql_entities import store_of
from app.catalog.proposal import Proposal
from app.catalog.refusal import RequestRefused
from app.catalog.store import CatalogStore


def resolve_create(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> str:  # noqa: A002 - GraphQL's name
    """`createTag(input:)`: the urn; fails when there is such a tag."""
    urn = f"urn:li:tag:{input.get('id') or uuid.uuid4()}"
    store = store_of(info)
    if store.fetch_presence(urn)[0]:
        raise RequestRefused(400, "This Tag already exists!")
    value = {"name": input["name"], "description": input.get("description")}
    store.write([Proposal(urn, "tagProperties", "CREATE", value)])
    return urn


def resolve_add(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> bool:  # noqa: A002
    """`addTag(input:)`: fails when the tag or the entity does not exist."""
    store, tag, resource = store_of(info), input["tagUrn"], input["resourceUrn"]
    for urn in (tag, resource):
        if not store.fetch_presence(urn)[0]:
            raise RequestRefused(400, f"Failed to add Tag {tag} to {resource}: {urn} does not exist.")
    _patch(store, tag, resource, {"op": "add", "value": {"tag": tag}})
    return True


def resolve_remove(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> bool:  # noqa: A002
    """`removeTag(input:)`: nothing happens when it is not there."""
    _patch(store_of(info), input["tagUrn"], input["resourceUrn"], {"op": "remove"})
    return True


def _patch(store: CatalogStore, tag: str, resource: str, operation: Mapping[str, Any]) -> None:
    registry.require_aspect(registry.parse_entity_type(resource), "globalTags")
    step = tag.replace("~", "~0").replace("/", "~1")
    # What a person does in the UI is marked so: clients tell a human's removal from a machine's by it.
    system = {"properties": {"appSource": "ui"}}
    store.write([Proposal(resource, "globalTags", "PATCH", [{**operation, "path": f"/tags/{step}"}], system)])
