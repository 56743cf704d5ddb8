"""The macros of the dbt_date package as SQL that shows what they read: date parts and zones are texts there, not columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from app.render.cross_database import literal

_PERIODS: Final = ("week", "iso_week", "month", "quarter", "year")
#: what a date dimension has of each day; its week, month, quarter and year are named after their period
_DIMENSION: Final = (
    *("date_day", "prior_date_day", "next_date_day", "prior_year_date_day", "prior_year_over_year_date_day"),
    *("day_of_week", "day_of_week_iso", "day_of_week_name", "day_of_week_name_short", "day_of_month", "day_of_year"),
    *(f"{period}_{end}_date" for period in _PERIODS for end in ("start", "end")),
    *(f"prior_year_{period}_{end}_date" for period in _PERIODS[:3] for end in ("start", "end")),
    *("week_of_year", "iso_week_of_year", "prior_year_week_of_year", "prior_year_iso_week_of_year"),
    *("month_of_year", "month_name", "month_name_short", "quarter_of_year", "year_number"),
)


def get_date_dimension(*_dates: object, **_named: object) -> str:
    """A row for each day; it reads no table."""
    return "select " + ", ".join(f"cast(null as varchar) as {name}" for name in _DIMENSION)


def get_base_dates(
    _start_date: object = None,
    _end_date: object = None,
    _n_dateparts: object = None,
    datepart: object = "day",
    **_named: object,
) -> str:
    name = "".join(c for c in str(datepart) if c.isalnum() or c == "_")
    return f"select cast(null as timestamp) as date_{name}"


def _of_column(name: str) -> Callable[..., str]:
    """A function of the first argument, and of no other: they are texts, numbers and zones."""
    return lambda date=None, *_rest, **named: f"zz_{name}({_column(date, named)})"


def _column(given: object, named: dict[str, object]) -> str:
    found = given if given is not None else next((named[key] for key in _ARGUMENTS if named.get(key) is not None), None)
    return "current_date" if found is None else str(found)


_ARGUMENTS: Final = ("column", "date_col", "dt", "timestamp", "epochs", "tz_date")

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{
        name: _of_column(name)
        for name in (
            *("convert_timezone", "day_name", "month_name", "day_of_month", "day_of_week", "day_of_year"),
            *("iso_week_start", "iso_week_end", "iso_week_of_year", "week_start", "week_end", "week_of_year"),
            *("from_unixtimestamp", "to_unixtimestamp", "round_timestamp", "periods_since"),
        )
    },
    **{
        name: lambda *_args, **_named: "current_date"
        for name in ("today", "now", "yesterday", "tomorrow", "this_week", "last_week", "next_week")
    },
    "date_part": lambda datepart, date: f"zz_date_part({literal(datepart)}, {date})",
    "get_date_dimension": get_date_dimension,
    "get_base_dates": get_base_dates,
}
