"""`ALTER VIEW v AS SELECT ...` gives a view another query: the same as making it anew, and read as that."""

from __future__ import annotations

import itertools

from app.change.tokens import Chunk, find_chunks
from app.reads import Unreadable

_HEAD = 24  # words before VIEW: ALGORITHM = MERGE DEFINER = `a`@`b` SQL SECURITY INVOKER


def make_anew(sql: str, *, dialect: str) -> str:
    """The text with each such ALTER written as CREATE OR REPLACE, lines kept."""
    upper = sql.upper()
    if "ALTER" not in upper or "VIEW" not in upper:
        return sql
    try:
        chunks = [chunk for chunk in find_chunks(sql, dialect=dialect) if _is_new_query(chunk)]
    except Unreadable:  # then the text is an unknown as a whole
        return sql
    for chunk in reversed(chunks):
        word = chunk.words[0]
        sql = f"{sql[: word.start]}CREATE OR REPLACE{sql[word.end :]}"
    return sql


def _is_new_query(chunk: Chunk) -> bool:
    words = [word.upper for word in chunk.words]
    if words[0] != "ALTER" or "VIEW" not in words[:_HEAD] or "TABLE" in words[: words.index("VIEW")]:
        return False
    behind = words[words.index("VIEW") :]
    return any(first == "AS" and second in {"SELECT", "WITH", "("} for first, second in itertools.pairwise(behind))
