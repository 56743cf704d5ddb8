"""DDL as a text that a query hands to a function: `SELECT run_ddl('ALTER TABLE ...')`. What it does is not told by the files."""

from __future__ import annotations

import re

from app.change.cursor import Cursor
from app.change.opaque import opaque
from app.change.steps import DdlStep
from app.change.tokens import Word

_QUERIES = frozenset({"SELECT", "WITH", "PERFORM", "VALUES", "("})
_DDL = re.compile(
    r"^\s*(?:alter|drop|rename|truncate|create\s+or\s+replace)\s+(?:[a-z]+\s+){0,2}"
    r"(?:table|view|schema|database|column|type)\b",
    re.IGNORECASE,
)
#: take a text and run nothing of it
_HARMLESS = frozenset({
    "PG_NOTIFY", "LENGTH", "LOWER", "UPPER", "MD5", "CONCAT", "QUOTE_LITERAL", "RAISE", "COALESCE", "NULLIF", "LEFT",
    "RIGHT", "SUBSTRING", "SUBSTR", "REPLACE", "TO_JSON", "JSON_BUILD_OBJECT", "JSONB_BUILD_OBJECT", "STRPOS", "POSITION",
})  # fmt: skip
#: words before a parenthesis that are no function
_NO_FUNCTION = frozenset({
    "IN", "VALUES", "AND", "OR", "NOT", "SELECT", "WHERE", "FROM", "AS", "ON", "WHEN", "THEN", "ELSE", "LIKE", "ILIKE",
    "UNION", "ALL", "ANY", "SOME", "BY", "BETWEEN", "CASE", "EXISTS", "",
})  # fmt: skip


def find_handed(cursor: Cursor) -> tuple[DdlStep, ...]:
    """An Opaque for a query that hands DDL to a function; () for any other statement. The cursor stands at its start."""
    if cursor.peek() not in _QUERIES:
        return ()
    open_calls: list[str] = []
    words = cursor.rest()
    for index, word in enumerate(words):
        if word.upper == "(":
            open_calls.append(_caller(words, index))
        elif word.upper == ")" and open_calls:
            open_calls.pop()
        elif word.string and _DDL.match(word.text) and open_calls and open_calls[-1] not in _NO_FUNCTION | _HARMLESS:
            return opaque(cursor, f"DDL is handed to {open_calls[-1].lower()}, and what it does with it is not told")
    return ()


def _caller(words: tuple[Word, ...], index: int) -> str:
    """The name before a parenthesis in upper case, "" where there is none."""
    before = words[index - 1] if index else None
    if before is None or before.string:
        return ""
    return before.text.upper() if before.text[:1].isalpha() or before.text[:1] == "_" else ""
