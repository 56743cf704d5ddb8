"""Values that nobody told, written into SQL: where one can only be a value, the SQL says all else without it.

A hole is a word while its template runs. Behind a comparison, or within a string, it stays: as a call that nobody knows. Anywhere
else it may be the name of a column or of a table, or any SQL at all: then the text cannot be told, and the reason is the value's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from app.render.marks import find_protected

_HOLE: Final = re.compile(r"zz_unset_\w+", re.IGNORECASE)
#: what stands in front of a value, and of nothing else
_VALUE: Final = re.compile(
    r"(?:[=<>]|[\w)\]](?<!select)(?<!distinct)\s*[*+/%-]|\b(?:like|ilike|limit|interval|offset)|\bbetween(?:\s+(?!and\b)\S+){0,8}?(?:\s+and)?"
    r"|\bin\s*\((?:\s*[\w'.-]+\s*,)*)\s*\Z",
    re.IGNORECASE,
)
#: behind a value no name goes on and nothing is called
_ENDS: Final = re.compile(r"(?![\w$]|\s*[.(\[])")
_LOOKS_BACK: Final = 400
#: the dialects in which these quotes hold a string
_DOUBLE: Final = frozenset({"bigquery", "spark", "databricks", "mysql"})


def write_hole(name: str) -> str:
    """The word that stands for the value of that name."""
    return "zz_unset_" + re.sub(r"\W+", "_", name).strip("_")


def has_hole(text: object) -> bool:
    """Whether a value that nobody told was written into it."""
    return isinstance(text, str) and "zz_unset_" in text


def explain_holes(holes: Mapping[str, str]) -> str:
    """Why a text with a hole cannot be used where it matters what it says."""
    return "; ".join(holes.values()) or "a value of its template is not known"


def fill_holes(sql: str, dialect: str, holes: Mapping[str, str]) -> tuple[str, tuple[str, int] | None]:
    """The SQL with calls in the place of holes, or (why, offset) of the first that may be more than a value.

    `holes`: what each one is written as, and why it has no value.
    """
    if "zz_unset_" not in sql.lower():
        return sql, None
    strings = {match.span(): match.group()[0] for match in find_protected(sql)}
    wrong: list[tuple[str, int]] = []

    def fill(found: re.Match[str]) -> str:
        around = next((mark for (a, b), mark in strings.items() if a <= found.start() < b), None)
        if around is None and _is_value(sql, found):
            return f"{found.group()}()"
        if around not in {"'", "-", "/", "#"} and not (around == '"' and dialect in _DOUBLE):
            wrong.append((holes.get(found.group().lower(), explain_holes(holes)), found.start()))
        return found.group()

    filled = _HOLE.sub(fill, sql)
    return filled, wrong[0] if wrong else None


def _is_value(sql: str, found: re.Match[str]) -> bool:
    before = sql[max(0, found.start() - _LOOKS_BACK) : found.start()]
    return bool(_VALUE.search(before)) and bool(_ENDS.match(sql, found.end()))
