"""What a warehouse built from a repository holds: its tables, their columns, and where each column comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tests.benchmarks.replay.queries import Output, Query
from tests.benchmarks.replay.templates import MARK

MOST_EPHEMERAL = 20  # in a chain: longer is a cycle
#: (column, native type or None)
Column: TypeAlias = tuple[str, str | None]


@dataclass(eq=False, slots=True)
class Table:
    """`name` is the full one in the warehouse. `documented` are the columns that somebody wrote down beside the SQL."""

    name: str
    kind: Literal["model", "ephemeral", "seed", "source", "table"]
    path: str | None = None
    query: Query | None = None
    documented: tuple[Column, ...] = ()
    view: Literal["yes", "no"] = "no"
    columns: list[Column] | None = None
    upstream: list[Table] = field(default_factory=list)
    lineage: dict[str, set[tuple[Table, str]]] = field(default_factory=dict)

    def find_column(self, name: str) -> str | None:
        """As this table spells it."""
        return next((column for column, _ in self.columns or () if column.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Warehouse:
    """`resolve` tells what a query means by a name."""

    tables: Mapping[str, Table]
    sources: Mapping[str, Table]
    resolve: Callable[[str], Table | None]

    @property
    def stored(self) -> list[Table]:
        """All but the ephemeral ones and the sources."""
        return [table for table in self.tables.values() if table.kind != "ephemeral"]


def fill_columns(held: Warehouse) -> None:
    """Columns and lineage of every table, in place. A source has the columns that are documented, and those that are read."""
    for table in held.tables.values():
        _fill(table, held)
    for table in held.tables.values():
        for name, column in sorted(table.query.reads) if table.query else ():
            source = held.resolve(name)
            if source is None or source.kind != "source":
                continue
            source.columns = source.columns or list(source.documented)
            if source.find_column(column) is None:
                source.columns.append((column, None))
    for source in held.sources.values():
        if source.columns is None:
            source.columns = list(source.documented)


def _fill(table: Table, held: Warehouse) -> list[Column]:
    if table.columns is not None:
        return table.columns
    table.columns = []  # a cycle ends here
    found = _find_queried(table, table.query, held) if table.query else []
    names = {name.lower() for name, _ in found}
    if table.kind in ("source", "seed", "table") or not found:
        found += [column for column in table.documented if column[0].lower() not in names]
    once: dict[str, Column] = {}
    for column in found:
        once.setdefault(column[0].lower(), column)
    table.columns = list(once.values())
    return table.columns


def _find_queried(table: Table, query: Query, held: Warehouse) -> list[Column]:
    found: list[Column] = []
    for one in query.columns:
        if isinstance(one, Output):
            if MARK in one.name:
                continue
            found.append((one.name, one.type))
            for name, column in one.sources:
                if (above := held.resolve(name)) is not None:
                    table.lineage.setdefault(one.name, set()).add((above, column))
        elif (above := held.resolve(one.table)) is not None:
            for column, kind in _fill(above, held):
                if column.lower() not in one.without:
                    found.append((column, kind))
                    table.lineage.setdefault(column, set()).add((above, column))
    table.upstream = [above for name in query.tables if (above := held.resolve(name)) is not None]
    return found


def find_column_sources(table: Table, column: str, depth: int = 0) -> set[tuple[str, str]]:
    """(table, column) that a column is made of, ephemeral models looked through."""
    found: set[tuple[str, str]] = set()
    for above, name in table.lineage.get(column, ()):
        known = above.find_column(name)
        if above.kind == "ephemeral" and depth < MOST_EPHEMERAL:
            found |= find_column_sources(above, known or name, depth + 1)
        elif known:
            found.add((above.name, known))
    return found


def find_upstream(table: Table, depth: int = 0) -> set[str]:
    """The tables that a table is made of, ephemeral models looked through."""
    found: set[str] = set()
    for above in table.upstream:
        if above.kind == "ephemeral" and depth < MOST_EPHEMERAL:
            found |= find_upstream(above, depth + 1)
        else:
            found.add(above.name)
    return found
