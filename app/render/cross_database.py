"""dbt's cross-database macros as SQL whose columns stay visible in every dialect (docs.getdbt.com, "Cross-database macros").

A date part is written as a text: bare, some dialects would take it for a column. Where a dialect gives the arguments of a
function another order, the function is named zz_...: its arguments are read all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

#: sqlglot reads date_trunc('part', x), dateadd('part', n, x) and datediff('part', a, b) of these as they are written
_NATURAL: Final = frozenset({"snowflake", "redshift", "duckdb", "databricks", "spark"})


def make_cross_database(  # noqa: C901 - one small function for each macro of dbt
    adapter: str | None,
) -> dict[str, Callable[..., Any]]:
    """By name; the same ones answer to `dbt.name`, to `dbt_utils.name` and to the bare name."""
    prefix = "" if adapter in _NATURAL else "zz_"

    def part(value: object) -> str:
        return "'" + str(value).strip("'\" ") + "'"

    def literal(value: object) -> str:
        return "'" + str(value).replace("'", "''") + "'"

    def date_trunc(datepart: object, date: object) -> str:
        return f"{prefix}date_trunc({part(datepart)}, {date})"

    def dateadd(datepart: object, interval: object, from_date_or_timestamp: object) -> str:
        return f"{prefix}dateadd({part(datepart)}, {interval}, {from_date_or_timestamp})"

    def datediff(first_date: object, second_date: object, datepart: object) -> str:
        return f"{prefix}datediff({part(datepart)}, {first_date}, {second_date})"

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
        measure: object,
        delimiter_text: object = "','",
        order_by_clause: object = None,
        *_limit: object,
        **_named: object,
    ) -> str:
        order = f", zz_order({str(order_by_clause)[len('order by') :]})" if order_by_clause else ""
        return f"zz_listagg({measure}, {delimiter_text}{order})"

    return {
        "date_trunc": date_trunc,
        "dateadd": dateadd,
        "datediff": datediff,
        "last_day": last_day,
        "cast": cast,
        "safe_cast": cast,
        "cast_bool_to_text": lambda field: f"cast({field} as varchar)",
        "concat": lambda fields: "concat(" + ", ".join(str(item) for item in fields) + ")",
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
        "array_construct": lambda inputs=(), *_type, **_named: "zz_array(" + ", ".join(str(i) for i in inputs) + ")",
        "bool_or": lambda expression: f"zz_bool_or({expression})",
        "any_value": lambda expression: f"any_value({expression})",
        "date": lambda year, month, day: f"cast('{year}-{month}-{day}' as date)",
        "string_literal": literal,
        "escape_single_quotes": lambda expression: str(expression).replace("'", "''"),
        "except": lambda: "except",
        "intersect": lambda: "intersect",
        **dict.fromkeys(
            ("current_timestamp", "current_timestamp_backcompat", "current_timestamp_in_utc_backcompat"), _now
        ),
        "type_string": lambda: "varchar",
        "type_int": lambda: "int",
        "type_bigint": lambda: "bigint",
        "type_float": lambda: "float",
        "type_numeric": lambda: "numeric",
        "type_boolean": lambda: "boolean",
        "type_timestamp": lambda: "timestamp",
    }


def _now() -> str:
    return "current_timestamp"
