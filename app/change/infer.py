"""Types of expressions, where they can be told: casts, columns of known type, literals, and what functions and operators give."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final, TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError

from app.change.types import find_class, read_type
from app.change.world import ColumnState, RelationState
from app.reads import Call, CaseWhen, Cast, Choice, ColumnLeaf, Constant, Expression, Subquery

#: (relation, column) -> its native type, "" where nobody knows it
FindType: TypeAlias = Callable[[str, str], str]
Typed: TypeAlias = tuple[ColumnState, str, Callable[[str], RelationState | None]]

_DEPTH = 5  # views over views; deeper than that nobody would follow by hand either
NUMERIC: Final = frozenset({"integer", "decimal", "float"})
#: functions whose result has the type of their first argument
PASSING: Final = frozenset({
    "min", "max", "anyvalue", "first", "last", "firstvalue", "lastvalue", "lag", "lead", "distinct", "ordered", "filter",
    "window", "nullif", "ignorenulls", "respectnulls", "withingroup",
})  # fmt: skip
#: and those whose arguments have one type, which is that of the result
UNIFYING: Final = frozenset({"coalesce", "ifnull", "greatest", "least"})
_NUMBERS: Final = frozenset({
    "sum", "avg", "mul", "div", "intdiv", "mod", "abs", "round", "ceil", "floor", "ln", "log", "sqrt", "exp", "pow", "stddev",
    "stddevpop", "stddevsamp", "variance", "variancepop", "neg",
})  # fmt: skip
_GIVES: Final = {
    **dict.fromkeys((
        "lower", "upper", "concat", "concatws", "dpipe", "safedpipe", "substring", "trim", "groupconcat", "replace", "left",
        "right", "initcap", "pad", "splitpart", "tochar", "md5", "regexpreplace", "regexpextract", "repeat", "reverse",
        "arraytostring",
    ), "TEXT"),
    **dict.fromkeys((
        "count", "countif", "length", "rownumber", "rank", "denserank", "ntile", "datediff", "approxdistinct", "strposition",
        "year", "month", "day", "sign",
    ), "BIGINT"),
    **dict.fromkeys((
        "eq", "neq", "lt", "lte", "and", "or", "not", "is", "in", "like", "ilike", "between", "exists", "regexplike",
        "logicaland", "logicalor", "startswith",
    ), "BOOLEAN"),
    **dict.fromkeys(("currenttimestamp",), "TIMESTAMP"),
    **dict.fromkeys(("currentdate", "tsordstodate"), "DATE"),
    **dict.fromkeys(("arrayagg", "array", "split", "arrayuniqueagg"), "ARRAY"),
}  # fmt: skip


def with_types(before: Typed, after: Typed) -> tuple[ColumnState, ColumnState]:
    """Both with their types, as far as these can be told. What a function gives is known by its class alone: that two such
    types differ within one says nothing."""
    old, new = _with_type(*before), _with_type(*after)
    if {old.type, new.type} <= {before[0].type, after[0].type} or all(map(_is_exact, (before[0], after[0]))):
        return old, new
    groups = [_group(column.type, dialect) for column, dialect in ((old, before[1]), (new, after[1]))]
    return (before[0], after[0]) if groups[0] == groups[1] or None in groups else (old, new)


def find_type(tree: Expression, dialect: str, find: FindType) -> str:  # noqa: PLR0911 - one return for each kind
    """The native type, "" where it cannot be told."""
    match tree:
        case ColumnLeaf():
            return find(tree.relation, tree.column)
        case Cast():
            return tree.type
        case Constant():
            return _native(
                {"text": "TEXT", "number": "DECIMAL" if "." in tree.value else "INT"}.get(tree.kind, ""), dialect
            )
        case CaseWhen():
            return _common([*tree.args[1::2], *tree.args[len(tree.args) - len(tree.args) % 2 :]], dialect, find)
        case Choice():
            return _common(tree.args, dialect, find)
        case Subquery():
            return find_type(tree.args[0], dialect, find) if tree.args else ""
        case Call():
            return _given_by(tree, dialect, find)
        case _:
            return ""


def _given_by(call: Call, dialect: str, find: FindType) -> str:
    if call.name in PASSING and call.args:
        return find_type(call.args[0], dialect, find)
    if call.name in UNIFYING:
        return _common(call.args, dialect, find)
    if call.name in ("add", "sub"):
        return _shifted(call, dialect, find)
    if call.name in _NUMBERS:
        known = {_group(find_type(arg, dialect, find), dialect) for arg in call.args}
        return _native("DECIMAL", dialect) if known <= {None, "number"} else ""
    return _native(_GIVES.get(call.name, ""), dialect)


def _shifted(call: Call, dialect: str, find: FindType) -> str:
    """A time moved by an interval is one; of numbers, a number."""
    moved = [arg for arg in call.args if not (isinstance(arg, Call) and arg.name == "interval")]
    types = [find_type(arg, dialect, find) for arg in moved]
    if len(moved) == 1 < len(call.args):
        return types[0]
    return _native("DECIMAL", dialect) if {_group(one, dialect) for one in types} == {"number"} else ""


def _common(trees: list[Expression] | tuple[Expression, ...], dialect: str, find: FindType) -> str:
    """The type of the first, if all that are known are of one kind; NULL is of any."""
    told = [tree for tree in trees if not (isinstance(tree, Constant) and tree.kind == "other")]
    types = [find_type(tree, dialect, find) for tree in told]
    return types[0] if len({_group(one, dialect) for one in types}) == 1 else ""


def _with_type(
    column: ColumnState, dialect: str, find: Callable[[str], RelationState | None], depth: int = _DEPTH
) -> ColumnState:
    if column.type or len(column.expressions) != 1 or depth == 0:
        return column

    told = find_type(column.expressions[0], dialect, find_below(dialect, find, depth))
    return dataclasses.replace(column, type=told)


def find_below(dialect: str, find: Callable[[str], RelationState | None], depth: int = _DEPTH) -> FindType:
    """Types of the columns that an expression reads, through the views in between."""

    def below(relation: str, name: str) -> str:
        state = find(relation)
        column = state.columns.get(name) if state is not None else None
        return "" if column is None else _with_type(column, dialect, find, depth - 1).type

    return below


def _is_exact(column: ColumnState) -> bool:
    """Declared, cast, or taken from a column as it is."""
    return bool(column.type) or all(isinstance(tree, Cast | ColumnLeaf) for tree in column.expressions)


def _group(native: str, dialect: str) -> str | None:
    parsed = read_type(native, dialect)
    if parsed is None:
        return None
    kind = find_class(parsed)
    return "number" if kind in NUMERIC else kind


def _native(name: str, dialect: str) -> str:
    """sqlglot's type as the dialect writes it."""
    try:
        return exp.DataType.build(name).sql(dialect=dialect or None) if name else ""
    except (SqlglotError, ValueError):
        return name
