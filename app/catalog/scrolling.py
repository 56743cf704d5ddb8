"""Pages of relationships and entities: filtered, in a stable order, continued by an opaque scroll id.

The order is that of row ids, which are never used again: what is written during a scroll comes later in it, what is
deleted is left out, and nothing that stays is missed or shown twice. Limits are GMS's: a larger count is not an error there
but quietly becomes the default.
"""

from __future__ import annotations

import base64
import binascii
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from app.catalog.filters import Arguments, render_filter
from app.catalog.refusal import RequestRefused

Direction: TypeAlias = Literal["OUTGOING", "INCOMING", "UNDIRECTED"]

MAX_COUNT = 10_000
CAPPED_COUNT = 5_000


@dataclass(frozen=True, slots=True)
class EdgeQuery:
    """What to scroll. `urns` anchors either end (lineage); filters are DataHub's and apply to source and destination."""

    names: Sequence[str] = ()
    source_types: Sequence[str] = ()
    destination_types: Sequence[str] = ()
    source_filter: Any = None
    destination_filter: Any = None
    urns: Sequence[str] = ()
    direction: Direction = "OUTGOING"
    lineage_only: bool = False
    slice_id: int | None = None
    slice_max: int | None = None


@dataclass(frozen=True, slots=True)
class ScrollRow:
    name: str
    source: str
    source_type: str
    destination: str
    destination_type: str
    lineage: int
    via: str | None


@dataclass(frozen=True, slots=True)
class EdgePage:
    rows: tuple[ScrollRow, ...]
    scroll_id: str | None


def limit_count(count: int | None, default: int) -> int:
    """The page size GMS would use; raises `RequestRefused` (400) below zero."""
    if count is None:
        return default
    if count < 0:
        raise RequestRefused(400, f"count must not be negative: {count}")
    return CAPPED_COUNT if count > MAX_COUNT else count


def scroll_edges(connection: sqlite3.Connection, query: EdgeQuery, *, count: int, scroll_id: str | None) -> EdgePage:
    """One page; `scroll_id` None starts, and the page's is None at the end."""
    arguments = Arguments()
    where = _edge_conditions(query, arguments)
    sql = edge_page_sql(where, arguments, after=parse_scroll_id(scroll_id, "edge"), count=count)
    rows = connection.execute(sql, arguments.values).fetchall()
    page = rows[:count]
    more = len(rows) > count and bool(page)
    return EdgePage(tuple(ScrollRow(*row[1:]) for row in page), make_scroll_id("edge", page[-1][0]) if more else None)


def edge_page_sql(where: Sequence[str], arguments: Arguments, *, after: int, count: int) -> str:
    """The query of one page: one row more than the page, to know whether there is another."""
    # `+e.id` keeps SQLite from walking the whole table in id order instead of using the index on source or destination.
    number = "+e.id" if where else "e.id"
    return (
        "SELECT e.id, e.name, s.urn, s.type, d.urn, d.type, e.lineage, e.via "  # noqa: S608 - values are bound
        "FROM edge e CROSS JOIN node s ON s.id = e.source CROSS JOIN node d ON d.id = e.destination "
        f"WHERE {number} > {arguments.bind(after)} {''.join(f'AND ({one}) ' for one in where)}"
        f"ORDER BY {number} LIMIT {arguments.bind(count + 1)}"
    )


def _edge_conditions(query: EdgeQuery, arguments: Arguments) -> list[str]:
    where = []
    if query.names:
        where.append(arguments.within("e.name", query.names))
    source, destination = ("e.source", "s"), ("e.destination", "d")
    # GMS turns the two filters round when the direction is INCOMING.
    incoming = query.direction == "INCOMING"
    sides = _sides(query, destination, source, arguments) if incoming else _sides(query, source, destination, arguments)
    if query.direction == "UNDIRECTED":
        swapped = _sides(query, destination, source, arguments)
        if sides:
            where.append(f"({' AND '.join(sides)}) OR ({' AND '.join(swapped)})")
    else:
        where.extend(sides)
    if query.urns:
        anchors = (
            f"(SELECT id FROM node WHERE urn IN (SELECT value FROM json_each({arguments.bind(list(query.urns))})))"  # noqa: S608
        )
        where.append(f"e.source IN {anchors} OR e.destination IN {anchors}")
    if query.lineage_only:
        where.append("e.lineage <> 0")
    if query.slice_max is not None:
        where.append(f"e.id % {arguments.bind(max(1, query.slice_max))} = {arguments.bind(query.slice_id or 0)}")
    return where


def _sides(query: EdgeQuery, first: tuple[str, str], second: tuple[str, str], arguments: Arguments) -> list[str]:
    sides = []
    for (column, alias), types, found in (
        (first, query.source_types, query.source_filter),
        (second, query.destination_types, query.destination_filter),
    ):
        if types:
            sides.append(arguments.within(f"{alias}.type", types))
        rendered = render_filter(found, alias, arguments, key=column)
        if rendered:
            sides.append(f"({rendered})")
    return sides


def fetch_related(
    connection: sqlite3.Connection, urn: str, names: Sequence[str], *, incoming: bool, start: int, count: int
) -> tuple[tuple[ScrollRow, ...], int]:
    """(a page by offset, how many there are in all) of one entity's relationships; `names` empty means all of them."""
    arguments = Arguments()
    end = "destination" if incoming else "source"
    where = f"e.{end} = (SELECT id FROM node WHERE urn = {arguments.bind(urn)})"  # noqa: S608 - one of two constants
    where += f" AND {arguments.within('e.name', names)}" if names else ""
    total = connection.execute(f"SELECT count(*) FROM edge e WHERE {where}", arguments.values).fetchone()[0]  # noqa: S608
    rows = connection.execute(
        "SELECT e.name, s.urn, s.type, d.urn, d.type, e.lineage, e.via "  # noqa: S608 - values are bound
        "FROM edge e CROSS JOIN node s ON s.id = e.source CROSS JOIN node d ON d.id = e.destination "
        f"WHERE {where} ORDER BY +e.id LIMIT {arguments.bind(count)} OFFSET {arguments.bind(start)}",
        arguments.values,
    )
    return tuple(ScrollRow(*row) for row in rows), total


@dataclass(frozen=True, slots=True)
class EntityQuery:
    """`types` empty means every type. `query` is `*` or words that all must stand in the urn or a name."""

    types: Sequence[str] = ()
    query: str = "*"
    filter: Any = None
    include_removed: bool = False


@dataclass(frozen=True, slots=True)
class EntityPage:
    urns: tuple[tuple[str, str], ...]  # (urn, entity type), by type and urn
    total: int
    scroll_id: str | None


def scroll_entities(
    connection: sqlite3.Connection, query: EntityQuery, *, count: int, scroll_id: str | None = None, start: int = 0
) -> EntityPage:
    """One page of entities that have an aspect, sorted by type and urn; `start` skips (for clients that page by offset)."""
    arguments = Arguments()
    where = " AND ".join(["n.present = 1", *_entity_conditions(query, arguments)])
    total: int = connection.execute(f"SELECT count(*) FROM node n WHERE {where}", arguments.values).fetchone()[0]  # noqa: S608
    after = parse_scroll_id(scroll_id, "entity", ["", ""])
    rows = connection.execute(
        f"SELECT n.urn, n.type FROM node n WHERE {where} "  # noqa: S608 - values are bound
        f"AND (n.type, n.urn) > ({arguments.bind(after[0])}, {arguments.bind(after[1])}) "
        f"ORDER BY n.type, n.urn LIMIT {arguments.bind(count + 1)} OFFSET {arguments.bind(start)}",
        arguments.values,
    ).fetchall()
    page = rows[:count]
    more = len(rows) > count and bool(page)
    return EntityPage(tuple(page), total, make_scroll_id("entity", [page[-1][1], page[-1][0]]) if more else None)


def _entity_conditions(query: EntityQuery, arguments: Arguments) -> list[str]:
    where = []
    if query.types:
        where.append(arguments.within("n.type", query.types))
    rendered = render_filter(query.filter, "n", arguments)
    if rendered:
        where.append(f"({rendered})")
    if not query.include_removed:
        where.append("n.removed = 0")
    words = [] if query.query.strip() in ("", "*") else query.query.split()
    where.extend(f"instr(lower(n.urn), {arguments.bind(word.strip('*').lower())}) > 0" for word in words)
    return where


def make_scroll_id(kind: str, position: Any) -> str:
    """An opaque cursor."""
    return base64.urlsafe_b64encode(json.dumps([kind, position]).encode()).decode()


def parse_scroll_id(scroll_id: str | None, kind: str, start: Any = 0) -> Any:
    """The position a cursor stands for; raises `RequestRefused` (400) for one that this catalog did not make."""
    if not scroll_id:
        return start
    try:
        found = json.loads(base64.urlsafe_b64decode(scroll_id.encode()))
    except (ValueError, binascii.Error) as reason:
        raise RequestRefused(400, f"Invalid scrollId: {scroll_id[:100]!r}") from reason
    if not isinstance(found, list) or len(found) != 2 or found[0] != kind or type(found[1]) is not type(start):
        raise RequestRefused(400, f"Invalid scrollId: {scroll_id[:100]!r}")
    return found[1]
