"""dbt's cross-database macros as SQL whose columns stay visible in every dialect (docs.getdbt.com, "Cross-database macros").

A date part is written as a text: bare, some dialects would take it for a column. Where a dialect gives the arguments of a
function another order, the function is named zz_...: its arguments are read all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

#: sqlglot reads date_trunc('part', x), dateadd('part', n, x) and datediff('part', a, b) of these as they are written
_NATURAL: Final = frozenset({"snowflake", "redshift", "duckdb", "databricks", "spark"})
_CONSTANTS: Final = {
    **dict.fromkeys(
        ("current_timestamp", "current_timestamp_backcompat", "current_timestamp_in_utc_backcompat"),
        "current_timestamp",
    ),
    "except": "except",
    "intersect": "intersect",
    "type_string": "varchar",
    "type_int": "int",
    "type_bigint": "bigint",
    "type_float": "float",
    "type_numeric": "numeric",
    "type_boolean": "boolean",
    "type_timestamp": "timestamp",
}


def make_cross_database(adapter: str | None) -> dict[str, Callable[..., Any]]:
    """By name; the same ones answer to `dbt.name`, to `dbt_utils.name` and to the bare name."""
    prefix = "" if adapter in _NATURAL else "zz_"
    return {
        "date_trunc": lambda datepart, date: f"{prefix}date_trunc({_part(datepart)}, {date})",
        "dateadd": lambda datepart, interval, from_date_or_timestamp: (
            f"{prefix}dateadd({_part(datepart)}, {interval}, {from_date_or_timestamp})"
        ),
        "datediff": lambda first_date, second_date, datepart: (
            f"{prefix}datediff({_part(datepart)}, {first_date}, {second_date})"
        ),
        **_FUNCTIONS,
        **{name: _constant(text) for name, text in _CONSTANTS.items()},
    }


def _constant(text: str) -> Callable[..., str]:
    return lambda *_args, **_named: text


def _part(value: object) -> str:
    return "'" + str(value).strip("'\" ") + "'"


def literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def last_day(date: object, *_datepart: object, **_named: object) -> str:
    return f"last_day({date})"


def cast(field: object, type: object) -> str:  # noqa: A002 - dbt's name of the argument
    return f"cast({field} as {type})"


def split_part(string_text: object, delimiter_text: object, part_number: object) -> str:
    return f"split_part({string_text}, {delimiter_text}, {part_number})"


def replace(field: object, old_chars: object, new_chars: object) -> str:
    return f"replace({field}, {literal(old_chars)}, {literal(new_chars)})"


def position(substring_text: object, string_text: object) -> str:
    return f"zz_position({substring_text}, {string_text})"


def listagg(
    measure: object, delimiter_text: object = "','", order_by_clause: object = None, *_limit: object, **_named: object
) -> str:
    """The order is an argument here: what it reads counts."""
    order = f", zz_order({str(order_by_clause)[len('order by') :]})" if order_by_clause else ""
    return f"zz_listagg({measure}, {delimiter_text}{order})"


def concat(fields: Iterable[object]) -> str:
    return "concat(" + ", ".join(str(item) for item in fields) + ")"


def array_construct(inputs: Iterable[object] = (), *_type: object, **_named: object) -> str:
    return "zz_array(" + ", ".join(str(item) for item in inputs) + ")"


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "last_day": last_day,
    "cast": cast,
    "safe_cast": cast,
    "cast_bool_to_text": lambda field: f"cast({field} as varchar)",
    "concat": concat,
    "hash": lambda field: f"md5(cast({field} as varchar))",
    "split_part": split_part,
    "replace": replace,
    "right": lambda string_text, length_expression: f"right({string_text}, {length_expression})",
    "length": lambda expression: f"length({expression})",
    "position": position,
    "listagg": listagg,
    "array_agg": lambda expression: f"array_agg({expression})",
    "array_concat": lambda array_1, array_2: f"zz_array_concat({array_1}, {array_2})",
    "array_append": lambda array, new_element: f"zz_array_append({array}, {new_element})",
    "array_construct": array_construct,
    "bool_or": lambda expression: f"zz_bool_or({expression})",
    "any_value": lambda expression: f"any_value({expression})",
    "date": lambda year, month, day: f"cast('{year}-{month}-{day}' as date)",
    "string_literal": literal,
    "escape_single_quotes": lambda expression: str(expression).replace("'", "''"),
}
