"""The author's own words for a part of a statement: from its first to its last word, with the brackets and keywords around them.

The parser remembers the places of names, literals and functions, not those of brackets and keywords.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

_MOST = 160  # characters; more than that nobody reads in a sentence
_BEFORE: Final = (
    ((exp.Cast, exp.TryCast), re.compile(r"\b(?:try_|safe_)?cast\s*\(\s*$", re.IGNORECASE)),
    ((exp.Case,), re.compile(r"\bcase\s+(?:when\s+)?\(*$", re.IGNORECASE)),
    ((exp.Not, exp.Neg, exp.Exists, exp.Interval), re.compile(r"(?:\b(?:not|exists|interval)\b\s*\(*|-\s*)$", re.IGNORECASE)),
)  # fmt: skip
_AFTER: Final = (
    ((exp.Cast, exp.TryCast), re.compile(r"\s*::\s*\w+(?:\s*\([\d,\s]*\))?")),
    ((exp.Case,), re.compile(r".{0,40}?\bend\b", re.IGNORECASE | re.DOTALL)),
    ((exp.Is,), re.compile(r"\s+is\s+(?:not\s+)?\w+", re.IGNORECASE)),
)


def cut_words(sql: str, node: exp.Expr, first: int, last: int) -> str:
    """`first` and `last` are the offsets of the node's first and last known character."""
    if last - first > 4 * _MOST:
        return " ".join(sql[first : first + _MOST].split()) + " ..."
    for kinds, pattern in _BEFORE:
        if isinstance(node, kinds) and (found := pattern.search(sql, max(0, first - 24), first)):
            first = found.start()
    for after, pattern in _AFTER:
        if isinstance(node, after) and (found := pattern.match(sql, last + 1)):
            last = found.end() - 1
    first, last = _balance(sql, first, last)
    text = " ".join(sql[first : last + 1].split())
    return text if len(text) <= _MOST else text[:_MOST] + " ..."


def _balance(sql: str, first: int, last: int) -> tuple[int, int]:
    """With the brackets that belong to what is inside."""
    depth = lowest = 0
    for char in sql[first : last + 1]:
        depth += (char == "(") - (char == ")")
        lowest = min(lowest, depth)
    while lowest < 0 and (opening := sql.rfind("(", 0, first)) >= 0:
        first, lowest, depth = opening, lowest + 1, depth + 1
    end = last
    while depth > 0 and end + 1 < len(sql) and end - last < _MOST:
        end += 1
        depth += (sql[end] == "(") - (sql[end] == ")")
        if depth == 0:
            return first, end
    return first, last
