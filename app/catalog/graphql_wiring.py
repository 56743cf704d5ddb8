"""Which resolver answers which field: the one place where schema and code meet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from graphql import GraphQLResolveInfo, GraphQLSchema, build_schema

from app.catalog import graphql_entities as entities
from app.catalog import graphql_incidents as incidents
from app.catalog import graphql_search as search
from app.catalog import graphql_tags as tags
from app.catalog.graphql_schema import BY_REGISTRY, KINDS, Kind, render_sdl
from app.catalog.proposal import ACTOR
from app.catalog.refusal import RequestRefused

#: the server version whose behaviour is imitated; the SDK and clients choose their path by it
IMITATED_VERSION = "v1.7.0.1"


@cache
def build_catalog_schema() -> GraphQLSchema:
    """The executable schema, made once a process; the context value of an operation is the `CatalogStore`."""
    schema = build_schema(render_sdl())
    for kind in KINDS:
        _wire(schema, kind.type, _entity_fields(kind))
    _wire(schema, "Query", _query_fields())
    _wire(
        schema,
        "Mutation",
        {
            "raiseIncident": incidents.resolve_raise,
            "updateIncidentStatus": incidents.resolve_update_status,
            "updateIncident": incidents.resolve_update,
            "createTag": tags.resolve_create,
            "addTag": tags.resolve_add,
            "removeTag": tags.resolve_remove,
        },
    )
    for abstract in ("Entity", "EntityWithRelationships", "OwnerType"):
        found: Any = schema.type_map[abstract]
        found.resolve_type = lambda ref, *_: ref.kind.type
    long: Any = schema.type_map["Long"]
    long.parse_value, long.serialize = _whole, _whole
    return schema


def _query_fields() -> dict[str, Any]:
    return {
        "me": lambda *_: {"corpUser": entities.EntityRef(ACTOR, BY_REGISTRY["corpuser"])},
        "appConfig": lambda *_: {"appVersion": IMITATED_VERSION},
        "entity": entities.resolve_root(None),
        "entities": entities.resolve_entities,
        "entityExists": lambda _, info, urn: entities.store_of(info).fetch_presence(urn)[0],
        "searchAcrossEntities": search.resolve_search,
        "scrollAcrossEntities": search.resolve_scroll,
        "scrollAcrossLineage": search.resolve_lineage,
        **{kind.root: entities.resolve_root(kind) for kind in KINDS if kind.root},
    }


def _entity_fields(kind: Kind) -> dict[str, Any]:
    keys = ("featureNamespace", "fieldPath", "jobId", "flowId", "orchestrator", "dashboardId", "chartId", "username")
    properties = "dataJobInfo" if kind.registry == "dataJob" else f"{kind.registry}Properties"
    fields: dict[str, Any] = {
        "urn": lambda ref, _: ref.urn,
        "type": lambda ref, _: ref.kind.enum,
        "name": entities.resolve_name,
        "platform": entities.resolve_platform,
        "relationships": entities.resolve_relationships,
        "aspects": entities.resolve_aspects,
        "status": entities.resolve_status,
        "exists": entities.resolve_exists,
        "properties": entities.resolve_properties(properties),
        "subTypes": lambda ref, info: entities.read_value(info, ref.urn, "subTypes"),
        "dataPlatformInstance": entities.resolve_instance,
        "fineGrainedLineages": entities.resolve_fine_grained,
        "incidents": incidents.resolve_incidents,
        "parent": lambda ref, info: entities.find_ref(entities.resolve_key("parent")(ref, info)),
        **{key: entities.resolve_key(key) for key in keys},
    }
    if kind.registry == "tag":
        fields["description"] = _tag_description
    if kind.registry == "incident":
        shown = ("incidentType", "customType", "title", "description", "incidentStatus", "status", "priority")
        more = ("assignees", "entity", "source", "startedAt", "created")
        fields.update({name: incidents.resolve_incident_field(name) for name in (*shown, *more)})
    return fields


def _tag_description(ref: entities.EntityRef, info: GraphQLResolveInfo) -> Any:
    return (entities.read_value(info, ref.urn, "tagProperties") or {}).get("description")


def _wire(schema: GraphQLSchema, name: str, resolvers: Mapping[str, Any]) -> None:
    found: Any = schema.type_map[name]
    for field, definition in found.fields.items():
        if field in resolvers:
            definition.resolve = resolvers[field]


def _whole(value: Any) -> int:
    """A 64-bit integer; graphql-java's Long takes a number or its text."""
    try:
        whole = int(value)
    except (TypeError, ValueError) as reason:
        raise RequestRefused(400, f"Not a Long: {value!r}") from reason
    return whole
