"""The type of a computed column, where its canonical expression says it: a cast, or a bare column of known type."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import SqlglotError

from app.change.world import ColumnState, RelationState

_DEPTH = 5  # views over views; deeper than that nobody would follow by hand either
#: `cast(<anything>, datatype(DECIMAL, datatypeparam(5), datatypeparam(4)))`, as app.reads writes it
_CAST = re.compile(r"^(?:try)?cast\(.*, datatype\((?P<name>\w+)(?P<rest>[^()]*(?:\([^()]*\)[^()]*)*)\)\)$", re.DOTALL)


def with_type(
    column: ColumnState, dialect: str, find: Callable[[str], RelationState | None], depth: int = _DEPTH
) -> ColumnState:
    """The same column, its type filled in where it can be told; unchanged where not."""
    if column.type or len(column.expressions) != 1 or depth == 0:
        return column
    text = column.expressions[0]
    cast = _CAST.match(text)
    if cast is not None:
        return dataclasses.replace(column, type=_native(cast.group("name"), cast.group("rest"), dialect))
    if "(" in text or len(column.sources) != 1:
        return column
    ((relation, source),) = column.sources
    state = find(relation)
    below = state.columns.get(source) if state is not None else None
    if below is None:
        return column
    return dataclasses.replace(column, type=with_type(below, dialect, find, depth - 1).type)


def _native(name: str, rest: str, dialect: str) -> str:
    """sqlglot's type as the dialect writes it."""
    numbers = re.findall(r"datatypeparam\((\d+)\)", rest)
    text = f"{name}({', '.join(numbers)})" if numbers else name
    try:
        return exp.DataType.build(text).sql(dialect=dialect)
    except (SqlglotError, ValueError):
        return text
