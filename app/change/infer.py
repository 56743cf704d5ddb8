"""The type of a computed column, where its expression says it: a cast, or a bare column of known type."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from app.change.world import ColumnState, RelationState

_DEPTH = 5  # views over views; deeper than that nobody would follow by hand either


def with_type(
    column: ColumnState, dialect: str, find: Callable[[str], RelationState | None], depth: int = _DEPTH
) -> ColumnState:
    """The same column, its type filled in where it can be told; unchanged where not."""
    if column.type or len(column.expressions) != 1 or depth == 0:
        return column
    try:
        tree: exp.Expr = sqlglot.parse_one(column.expressions[0], dialect=dialect)
    except (SqlglotError, RecursionError):
        return column
    while isinstance(tree, exp.Paren | exp.Alias):
        tree = tree.this
    if isinstance(tree, exp.Cast):
        return dataclasses.replace(column, type=tree.to.sql(dialect=dialect))
    if not isinstance(tree, exp.Column) or len(column.sources) != 1:
        return column
    ((relation, source),) = column.sources
    state = find(relation)
    below = state.columns.get(source) if state is not None else None
    if below is None:
        return column
    return dataclasses.replace(column, type=with_type(below, dialect, find, depth - 1).type)
