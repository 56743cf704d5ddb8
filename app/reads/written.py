"""The author's own words for a part of a statement: from its first to its last word, with the brackets and keywords around them.

The parser remembers the places of names, literals and functions, not those of brackets and keywords.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

_MOST = 160  # characters; more than that nobody reads in a sentence
_CASTS = re.compile(r"\b(?:try_|safe_)?cast\s*\(\s*$", re.IGNORECASE)
_PREFIXES = re.compile(r"(?:\b(?:not|exists|interval)\b\s*\(*|-\s*)$", re.IGNORECASE)
#: what stands before the first known word of such a node, and behind the last
_BEFORE: Final[dict[type[exp.Expr], re.Pattern[str]]] = {
    exp.Cast: _CASTS,
    exp.TryCast: _CASTS,
    exp.Case: re.compile(r"\bcase\s+(?:when\s+)?\(*$", re.IGNORECASE),
    **dict.fromkeys((exp.Not, exp.Neg, exp.Exists, exp.Interval), _PREFIXES),
}
_AFTER: Final[dict[type[exp.Expr], re.Pattern[str]]] = {
    exp.Cast: re.compile(r"\s*::\s*\w+(?:\s*\([\d,\s]*\))?"),
    exp.Case: re.compile(r".{0,40}?\bend\b", re.IGNORECASE | re.DOTALL),
    exp.Is: re.compile(r"\s+is\s+(?:not\s+)?\w+", re.IGNORECASE),
}
_BRACKET = re.compile(r"[()]")


def cut_words(sql: str, node: exp.Expr, first: int, last: int) -> str:
    """`first` and `last` are the offsets of the node's first and last known character."""
    if last - first > 4 * _MOST:
        return " ".join(sql[first : first + _MOST].split()) + " ..."
    kind = type(node)
    if (before := _BEFORE.get(kind)) is not None and (found := before.search(sql, max(0, first - 24), first)):
        first = found.start()
    if (after := _AFTER.get(kind)) is not None and (found := after.match(sql, last + 1)):
        last = found.end() - 1
    first, last = _balance(sql, first, last)
    text = " ".join(sql[first : last + 1].split())
    return text if len(text) <= _MOST else text[:_MOST] + " ..."


def _balance(sql: str, first: int, last: int) -> tuple[int, int]:
    """With the brackets that belong to what is inside."""
    depth = lowest = 0
    for bracket in _BRACKET.findall(sql, first, last + 1):
        depth += 1 if bracket == "(" else -1
        lowest = min(lowest, depth)
    while lowest < 0 and (opening := sql.rfind("(", 0, first)) >= 0:
        first, lowest, depth = opening, lowest + 1, depth + 1
    if depth <= 0:
        return first, last
    for found in _BRACKET.finditer(sql, last + 1, last + _MOST):
        depth += 1 if found.group() == "(" else -1
        if depth == 0:
            return first, found.start()
    return first, last
