"""Finding entities through GraphQL: by type and filter, and across lineage.

There is no index beside the tables, so results are never late, never cached, and complete. `scrollAcrossLineage` walks the
stored lineage edges breadth first; like GMS it never contains what lineage does not reach (deployments, feature tables).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLResolveInfo

from app.catalog.graphql_entities import EntityRef, find_ref, store_of
from app.catalog.graphql_schema import BY_REGISTRY, KINDS, require_kind
from app.catalog.refusal import RequestRefused
from app.catalog.scrolling import (
    EdgeQuery,
    EntityPage,
    EntityQuery,
    limit_count,
    make_scroll_id,
    parse_scroll_id,
)
from app.catalog.store import CatalogStore

_DEFAULT_PAGE = 10
_MAX_HOPS = 1000


def resolve_search(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002 - GraphQL's
    """`searchAcrossEntities(input:)`: pages by offset."""
    start = input.get("start") or 0
    count = limit_count(input.get("count"), _DEFAULT_PAGE)
    page = store_of(info).scroll_entities(_entity_query(input), count=count, start=start)
    return {"start": start, **_show_page(page)}


def resolve_scroll(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002
    """`scrollAcrossEntities(input:)`: pages by scroll id."""
    count = limit_count(input.get("count"), _DEFAULT_PAGE)
    page = store_of(info).scroll_entities(_entity_query(input), count=count, scroll_id=input.get("scrollId"))
    return {"nextScrollId": page.scroll_id, **_show_page(page)}


def resolve_lineage(_: Any, info: GraphQLResolveInfo, input: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002
    """`scrollAcrossLineage(input:)`: every entity within the hops asked for, nearest first, with one shortest path."""
    urn = input.get("urn")
    if not urn:
        raise RequestRefused(400, "scrollAcrossLineage needs an urn")
    paths = walk_lineage(store_of(info), urn, downstream=input["direction"] == "DOWNSTREAM", hops=_max_hops(input))
    types = {require_kind(name).registry for name in input.get("types") or ()}
    degrees = _degrees(input)
    found = [
        (ref, path)
        for end, path in paths.items()
        if (ref := find_ref(end)) is not None
        and (not types or ref.kind.registry in types)
        and (degrees is None or min(len(path) - 1, 3) in degrees)
    ]
    count = limit_count(input.get("count"), _DEFAULT_PAGE)
    start = parse_scroll_id(input.get("scrollId"), "lineage")
    page = found[start : start + count]
    more = start + count < len(found)
    return {
        "nextScrollId": make_scroll_id("lineage", start + count) if more else None,
        "count": len(page),
        "total": len(found),
        "isPartial": False,
        "searchResults": [_show_reached(ref, path) for ref, path in page],
    }


def _show_reached(ref: EntityRef, path: tuple[str, ...]) -> dict[str, Any]:
    hops = len(path) - 1
    return {"entity": ref, "degree": hops, "degrees": [hops], "paths": [{"path": [find_ref(step) for step in path]}]}


def walk_lineage(store: CatalogStore, urn: str, *, downstream: bool, hops: int) -> dict[str, tuple[str, ...]]:
    """urn -> a shortest path to it (both ends included), of everything lineage reaches; one query per hop."""
    paths: dict[str, tuple[str, ...]] = {urn: (urn,)}
    frontier = [urn]
    for _ in range(hops):
        reached: list[str] = []
        for upstream, below in _fetch_lineage(store, frontier):
            near, far = (upstream, below) if downstream else (below, upstream)
            if near in paths and near in frontier and far not in paths:
                paths[far] = (*paths[near], far)
                reached.append(far)
        if not reached:
            break
        frontier = reached
    return {end: path for end, path in paths.items() if end != urn}


def _fetch_lineage(store: CatalogStore, urns: list[str]) -> list[tuple[str, str]]:
    """(upstream, downstream) of every lineage edge at these urns."""
    pairs: list[tuple[str, str]] = []
    scroll_id = None
    while True:
        page = store.scroll_edges(EdgeQuery(urns=urns, lineage_only=True), count=5000, scroll_id=scroll_id)
        pairs.extend(
            (row.destination, row.source) if row.lineage > 0 else (row.source, row.destination) for row in page.rows
        )
        scroll_id = page.scroll_id
        if scroll_id is None:
            return pairs


def _entity_query(given: Mapping[str, Any]) -> EntityQuery:
    # Without types GMS searches every type it can show; what GraphQL has no type for cannot be a result.
    types = [require_kind(name) for name in given.get("types") or ()] or KINDS
    clauses = given.get("orFilters")
    if given.get("filters"):
        clauses = [{"and": [*clause.get("and", ()), *given["filters"]]} for clause in clauses or [{}]]
    flags = given.get("searchFlags") or {}
    return EntityQuery(
        types=[kind.registry for kind in types],
        query=given["query"],
        filter={"or": [clause for clause in clauses if clause.get("and")]} if clauses else None,
        # A filter that says what it wants of `removed` overrides the default, as in GMS.
        include_removed=bool(flags.get("includeSoftDeleted")) or "'removed'" in str(clauses),
    )


def _show_page(page: EntityPage) -> dict[str, Any]:
    entities = [{"entity": EntityRef(urn, BY_REGISTRY[kind]), "extraProperties": []} for urn, kind in page.urns]
    return {"count": len(entities), "total": page.total, "searchResults": entities}


def _degrees(given: Mapping[str, Any]) -> frozenset[int] | None:
    values = [
        value
        for clause in given.get("orFilters") or ()
        for one in clause.get("and") or ()
        if one["field"] == "degree"
        for value in one.get("values") or ()
    ]
    return frozenset(3 if value == "3+" else int(value) for value in values) if values else None


def _max_hops(given: Mapping[str, Any]) -> int:
    degrees = _degrees(given)
    return _MAX_HOPS if degrees is None or 3 in degrees else max(degrees)
