"""How far apart two types are: the same, wider, other values, or another class of type.

What a reader makes of another class is in `app.change.coercion`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError

TypeClass: TypeAlias = Literal[
    "integer",
    "decimal",
    "float",
    "text",
    "boolean",
    "date",
    "time",
    "zoned",
    "binary",
    "nested",
    "json",
    "uuid",
    "other",
]
Change: TypeAlias = Literal["same", "widening", "shift", "class"]

_NUMERIC = frozenset({"integer", "decimal", "float"})
_TIMES = frozenset({"date", "time", "zoned"})
_INTEGER_SIZE = {"UTINYINT": 1, "TINYINT": 1, "SMALLINT": 2, "USMALLINT": 2, "MEDIUMINT": 3, "INT": 4, "UINT": 4}
_TYPE = exp.DType
_FLOATS = {_TYPE.FLOAT: 4, _TYPE.DOUBLE: 8}
_BY_CLASS: dict[TypeClass, frozenset[exp.DType]] = {
    "text": frozenset(exp.DataType.TEXT_TYPES),
    "integer": frozenset(exp.DataType.INTEGER_TYPES) - {_TYPE.BIT},
    "float": frozenset(_FLOATS),
    "decimal": frozenset({_TYPE.DECIMAL, _TYPE.BIGDECIMAL, _TYPE.MONEY, _TYPE.SMALLMONEY, _TYPE.UDECIMAL}),
    "boolean": frozenset({_TYPE.BOOLEAN, _TYPE.BIT}),
    "date": frozenset({_TYPE.DATE, _TYPE.DATE32}),
    "zoned": frozenset({_TYPE.TIMESTAMPTZ, _TYPE.TIMESTAMPLTZ, _TYPE.TIMETZ}),
    "time": frozenset(
        {_TYPE.TIMESTAMP, _TYPE.TIMESTAMPNTZ, _TYPE.DATETIME, _TYPE.DATETIME2, _TYPE.DATETIME64, _TYPE.SMALLDATETIME}
    ),
    "binary": frozenset({_TYPE.BINARY, _TYPE.VARBINARY, _TYPE.BLOB, _TYPE.IMAGE}),
    "nested": frozenset({_TYPE.ARRAY, _TYPE.LIST, _TYPE.MAP, _TYPE.STRUCT, _TYPE.NESTED, _TYPE.OBJECT}),
    "json": frozenset({_TYPE.JSON, _TYPE.JSONB}),
    "uuid": frozenset({_TYPE.UUID}),
}


def read_type(text: str, dialect: str) -> exp.DataType | None:
    """The parsed type, None where there is none or nobody knows it."""
    if not text.strip():
        return None
    try:
        return exp.DataType.build(text, dialect=dialect)
    except (SqlglotError, ValueError):
        return None


def find_class(parsed: exp.DataType) -> TypeClass:
    for name, members in _BY_CLASS.items():
        if parsed.this in members:
            return "integer" if name == "decimal" and _is_whole(parsed) else name
    return "other"


def _is_whole(parsed: exp.DataType) -> bool:
    """DECIMAL(p, 0) and Oracle's and Snowflake's bare NUMBER stay decimals: only an explicit scale of 0 is whole."""
    return len(parsed.expressions) == 2 and parsed.expressions[1].name == "0"


def find_change(old: str, new: str, dialect: str) -> Change:  # noqa: PLR0911 - one return for each distance
    """How far apart two native types are. A type that cannot be read is as far as can be, unless the texts agree."""
    if " ".join(old.lower().split()) == " ".join(new.lower().split()):
        return "same"
    before, after = read_type(old, dialect), read_type(new, dialect)
    if before is None or after is None:
        return "class"
    if before == after:
        return "same"
    first, second = find_class(before), find_class(after)
    if first == second:
        return _within(first, before, after)
    if first == "integer" and second == "decimal" and _digits(after)[0] >= 19:
        return "widening"
    if {first, second} <= _NUMERIC or {first, second} <= _TIMES:
        return "shift"
    return "class"


def _within(kind: TypeClass, before: exp.DataType, after: exp.DataType) -> Change:
    match kind:
        case "integer":
            return "widening" if _integer_size(after) >= _integer_size(before) else "shift"
        case "float":
            return "widening" if _FLOATS.get(after.this, 8) >= _FLOATS.get(before.this, 8) else "shift"
        case "decimal":
            (whole, scale), (new_whole, new_scale) = _digits(before), _digits(after)
            return "widening" if new_whole >= whole and new_scale >= scale else "shift"
        case "text":
            return "widening" if _length(after) >= _length(before) else "shift"
        case "other" | "nested" | "json" | "uuid":
            return "class"
        case _:
            return "shift"


def _integer_size(parsed: exp.DataType) -> int:
    return _INTEGER_SIZE.get(parsed.this.name, 8)


def _digits(parsed: exp.DataType) -> tuple[int, int]:
    """Digits before and behind the point; without a precision there is no limit that matters."""
    numbers = [int(e.name) for e in parsed.expressions if e.name.isdigit()]
    if not numbers:
        return 38, 38
    scale = numbers[1] if len(numbers) > 1 else 0
    return numbers[0] - scale, scale


def _length(parsed: exp.DataType) -> int:
    numbers = [int(e.name) for e in parsed.expressions if e.name.isdigit()]
    return numbers[0] if numbers else 1 << 31
