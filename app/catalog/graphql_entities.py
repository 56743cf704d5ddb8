"""Reading entities through GraphQL: roots, raw aspects, relationships, and the few typed fields clients select.

Relationships follow GMS's quirks that a client must survive: `relatedEntityTypes` is applied after the page is cut, a
count above 10,000 becomes 5,000, soft-deleted neighbours are shown whatever `includeSoftDelete` says, and a neighbour of
a type that GraphQL does not have (mlModelDeployment) is null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datahub.metadata.urns import Urn
from graphql import GraphQLResolveInfo

from app.catalog import registry
from app.catalog.graphql_schema import BY_REGISTRY, Kind
from app.catalog.refusal import RequestRefused
from app.catalog.scrolling import limit_count
from app.catalog.store import CatalogStore

_DEFAULT_RELATED = 100


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity as resolvers pass it on; its fields are read when they are selected."""

    urn: str
    kind: Kind


def find_ref(urn: str) -> EntityRef | None:
    """The entity an urn names, None when GraphQL has no type for it; raises `RequestRefused` (400) for what is no urn."""
    kind = BY_REGISTRY.get(registry.parse_entity_type(urn))
    return None if kind is None else EntityRef(urn, kind)


def resolve_root(kind: Kind | None) -> Any:
    """Resolver of a root field that takes an urn: any entity, or one of a kind."""

    def resolve(_: Any, __: GraphQLResolveInfo, urn: str) -> EntityRef | None:
        ref = find_ref(urn)
        if kind is not None and (ref is None or ref.kind != kind):
            raise RequestRefused(400, f"Urn {urn} is not of type {kind.registry}")
        return ref

    return resolve


def resolve_entities(
    _: Any,
    info: GraphQLResolveInfo,
    urns: list[str],
    checkForExistence: bool | None = None,  # noqa: N803, FBT001 - GraphQL's
) -> list[EntityRef | None]:
    """`entities(urns:)`: in request order. GMS fails on an urn without a GraphQL type, and so does this."""
    refs: list[EntityRef | None] = []
    for urn in urns:
        ref = find_ref(urn)
        if ref is None:
            raise RequestRefused(500, f"Cannot load {urn}: GraphQL has no type for {registry.parse_entity_type(urn)}")
        missing = checkForExistence and not store_of(info).fetch_presence(urn)[0]
        refs.append(None if missing else ref)
    return refs


def resolve_relationships(ref: EntityRef, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002 - GraphQL's
    """`relationships(input:)`."""
    incoming = input["direction"] == "INCOMING"
    start, count = input.get("start") or 0, limit_count(input.get("count"), _DEFAULT_RELATED)
    rows, total = store_of(info).fetch_related(ref.urn, input["types"], incoming=incoming, start=start, count=count)
    wanted = input.get("relatedEntityTypes")
    shown = [
        {
            "type": row.name,
            "direction": input["direction"],
            "entity": find_ref(row.source if incoming else row.destination),
        }
        for row in rows
        if wanted is None or (row.source_type if incoming else row.destination_type) in wanted
    ]
    dropped = len(rows) - len(shown)
    return {"start": start, "count": len(shown), "total": total - dropped, "relationships": shown}


def resolve_aspects(
    ref: EntityRef,
    info: GraphQLResolveInfo,
    input: Mapping[str, Any] | None = None,  # noqa: A002
) -> list[dict[str, Any]]:
    """`aspects(input:)`: the raw JSON of each, its key aspect left out unless named."""
    names = (input or {}).get("aspectNames")
    found = store_of(info).fetch_aspects([ref.urn], names).get(ref.urn, {})
    return [{"aspectName": name, "payload": json.dumps(one.value, ensure_ascii=False)} for name, one in found.items()]


def resolve_status(ref: EntityRef, info: GraphQLResolveInfo) -> dict[str, bool] | None:
    """`status`: null when there is no such aspect."""
    value = read_value(info, ref.urn, "status")
    return None if value is None else {"removed": bool(value.get("removed"))}


def resolve_exists(ref: EntityRef, info: GraphQLResolveInfo) -> bool:
    """`exists`."""
    return store_of(info).fetch_presence(ref.urn)[0]


def resolve_name(ref: EntityRef, info: GraphQLResolveInfo) -> str:
    """The last plain part of the key: what GMS calls the name."""
    for aspect in (f"{ref.kind.registry}Properties", f"{ref.kind.registry}Info"):
        if aspect in registry.entity_aspects(ref.kind.registry):
            name = (read_value(info, ref.urn, aspect) or {}).get("name")
            if name and ref.kind.registry == "tag":
                return str(name)
    key = registry.parse_key(ref.urn)
    return str(next((key[field] for field in ("name", "platformName", "username", "id") if field in key), ref.urn))


def resolve_key(field: str) -> Any:
    """Resolver of a field that stands in the key aspect."""

    def resolve(ref: EntityRef, _: GraphQLResolveInfo) -> Any:
        return registry.parse_key(ref.urn).get(field)

    return resolve


def resolve_platform(ref: EntityRef, _: GraphQLResolveInfo) -> EntityRef:
    """`platform`, from the key."""
    return EntityRef(str(registry.parse_key(ref.urn).get("platform")), BY_REGISTRY["dataPlatform"])


def resolve_instance(ref: EntityRef, info: GraphQLResolveInfo) -> dict[str, Any] | None:
    """`dataPlatformInstance`, or the platform of the flow a job belongs to."""
    value = read_value(info, ref.urn, "dataPlatformInstance") or {}
    platform = value.get("platform")
    if platform is None and ref.kind.registry == "dataJob":
        flow = Urn.from_string(registry.parse_key(ref.urn)["flow"])
        platform = f"urn:li:dataPlatform:{flow.entity_ids[0]}"
    return None if platform is None else {"platform": EntityRef(platform, BY_REGISTRY["dataPlatform"])}


def resolve_properties(aspect: str) -> Any:
    """Resolver of `properties`: the aspect with its custom properties as entries; null when there is none."""

    def resolve(ref: EntityRef, info: GraphQLResolveInfo) -> dict[str, Any] | None:
        value = read_value(info, ref.urn, aspect)
        if value is None:
            return None
        entries = [
            {"key": key, "value": item, "associatedUrn": ref.urn}
            for key, item in value.get("customProperties", {}).items()
        ]
        refs = {name: [find_ref(urn) for urn in value[name]] for name in ("groups", "sources") if name in value}
        return {"name": resolve_name(ref, info), **value, **refs, "customProperties": entries}

    return resolve


def resolve_fine_grained(ref: EntityRef, info: GraphQLResolveInfo) -> list[dict[str, Any]] | None:
    """`fineGrainedLineages`: columns only, without the confidence, as GMS maps them."""
    value = read_value(info, ref.urn, "upstreamLineage")
    if value is None or "fineGrainedLineages" not in value:
        return None
    return [
        {
            "upstreams": _columns(lineage.get("upstreams", ())),
            "downstreams": _columns(lineage.get("downstreams", ())),
            "query": lineage.get("query"),
            "transformOperation": lineage.get("transformOperation"),
        }
        for lineage in value["fineGrainedLineages"]
    ]


def _columns(urns: Any) -> list[dict[str, str]]:
    columns = [urn for urn in urns if urn.startswith("urn:li:schemaField:")]
    return [{"urn": urn, "path": registry.parse_key(urn)["fieldPath"]} for urn in columns]


def read_value(info: GraphQLResolveInfo, urn: str, aspect: str) -> Mapping[str, Any] | None:
    """One aspect's value, None when there is none."""
    stored = store_of(info).fetch_aspect(urn, aspect)
    return None if stored is None else stored.value


def store_of(info: GraphQLResolveInfo) -> CatalogStore:
    """The store an operation runs over."""
    store: CatalogStore = info.context
    return store
