"""The columns of a query and what each is made of: told by sqlglot's scopes alone, so that Tether is not its own witness."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

#: of a scope: the queries of its union; sqlglot does not declare it
_PARTS = "union_scopes"
#: (table as the query writes it, column)
Source: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    sources: frozenset[Source]
    type: str | None


@dataclass(frozen=True, slots=True)
class StarOf:
    """All columns of a table, but these (in lower case)."""

    table: str
    without: frozenset[str]


Column: TypeAlias = Output | StarOf


@dataclass(frozen=True, slots=True)
class Query:
    columns: tuple[Column, ...]
    tables: tuple[str, ...]

    @property
    def reads(self) -> frozenset[Source]:
        return frozenset(source for one in self.columns if isinstance(one, Output) for source in one.sources)


def study_text(sql: str, dialect: str) -> Query | None:
    """The last query of the text; None where there is none, or nobody can read it."""
    try:
        statements = sqlglot.parse(sql, dialect=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    except Exception:  # noqa: BLE001 - a stranger's SQL: whatever it does to the parser, its columns are not known
        return None
    queries = (exp.Select, exp.Union, exp.Subquery, exp.Intersect, exp.Except)
    found = next((one for one in reversed(statements) if isinstance(one, queries)), None)
    return None if found is None else _study(found)


def _study(query: exp.Expression) -> Query | None:
    try:
        own = {cte.alias for cte in query.find_all(exp.CTE)}
        tables = {_name(table) for table in query.find_all(exp.Table)} - own
        root = build_scope(query)
        columns = _Columns().find(root) if root else []
    except Exception:  # noqa: BLE001 - as above
        return None
    return Query(tuple(columns), tuple(sorted(filter(None, tables))))


def _name(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)


@dataclass(slots=True)
class _Columns:
    """Each scope once; one that needs itself has no columns yet."""

    known: dict[int, list[Column]] = field(default_factory=dict)

    def find(self, scope: Scope) -> list[Column]:
        if id(scope) not in self.known:
            self.known[id(scope)] = []
            self.known[id(scope)] = self._find(scope)
        return self.known[id(scope)]

    def _find(self, scope: Scope) -> list[Column]:
        expression = scope.expression
        if isinstance(expression, (exp.Union, exp.Intersect, exp.Except)):
            parts: list[Scope] = getattr(scope, _PARTS)
            return self.find(parts[0]) if parts else []
        if not isinstance(expression, exp.Select):
            return []
        sources = {name: source for name, (_, source) in scope.selected_sources.items()}
        return [column for one in expression.expressions for column in self._project(one, sources)]

    def _project(self, one: exp.Expression, sources: dict[str, Any]) -> Iterable[Column]:
        if isinstance(one, exp.Star):
            yield from self._expand(one, sources.values())
        elif isinstance(one, exp.Column) and isinstance(one.this, exp.Star):
            yield from self._expand(one.this, [sources[one.table]] if one.table in sources else [])
        elif (name := one.alias_or_name) and name != "*":
            inner = one.this if isinstance(one, exp.Alias) else one
            cast = inner.to.sql() if isinstance(inner, (exp.Cast, exp.TryCast)) else None
            used = frozenset(source for column in one.find_all(exp.Column) for source in self._trace(column, sources))
            yield Output(name, used, cast)

    def _expand(self, star: exp.Star, sources: Iterable[Any]) -> Iterable[Column]:
        left_out = star.args.get("except_") or star.args.get("except") or []
        without = frozenset(name.name.lower() for name in left_out if hasattr(name, "name"))
        for source in sources:
            if isinstance(source, Scope):
                for column in self.find(source):
                    if isinstance(column, StarOf) or column.name.lower() not in without:
                        yield column
            elif isinstance(source, exp.Table):
                yield StarOf(_name(source), without)

    def _trace(self, column: exp.Column, sources: dict[str, Any]) -> Iterable[Source]:
        """The tables' columns that a written name comes from; an unqualified one only where that is sure."""
        if isinstance(column.this, exp.Star):
            return
        named = [sources[column.table]] if column.table in sources else [] if column.table else list(sources.values())
        for source in named:
            if isinstance(source, Scope):
                inner = self.find(source)
                same = [one for one in inner if isinstance(one, Output) and one.name.lower() == column.name.lower()]
                if same:
                    yield from same[0].sources
                    return
                stars = [one for one in inner if isinstance(one, StarOf)]
                if len(stars) == 1 and len(named) == 1:
                    yield (stars[0].table, column.name)
                    return
            elif isinstance(source, exp.Table) and len(named) == 1:
                yield (_name(source), column.name)
