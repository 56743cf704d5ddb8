"""What is a view by another name, read as one: `ALTER VIEW v AS SELECT ...` makes it anew, a synonym is all of its table."""

from __future__ import annotations

import itertools

from app.change.tokens import Chunk, Word, find_chunks
from app.reads import Unreadable

_HEAD = 24  # words before VIEW: ALGORITHM = MERGE DEFINER = `a`@`b` SQL SECURITY INVOKER
_SYNONYM = 6  # CREATE OR REPLACE EDITIONABLE PUBLIC SYNONYM


def make_anew(sql: str, *, dialect: str) -> str:
    """The text with each such ALTER written as CREATE OR REPLACE, and each synonym as a view; lines kept."""
    upper = sql.upper()
    if not ("ALTER" in upper and "VIEW" in upper) and "SYNONYM" not in upper:
        return sql
    try:
        chunks = list(find_chunks(sql, dialect=dialect))
    except Unreadable:  # then the text is an unknown as a whole
        return sql
    for chunk in reversed(chunks):
        for first, last, text in reversed(_find_changes(chunk)):
            sql = f"{sql[: first.start]}{text}{sql[last.end :]}"
    return sql


def _find_changes(chunk: Chunk) -> list[tuple[Word, Word, str]]:
    """(first word, last word, what stands there instead), in order."""
    if _is_new_query(chunk):
        return [(chunk.words[0], chunk.words[0], "CREATE OR REPLACE")]
    words = [word.upper for word in chunk.words]
    if words[0] not in {"CREATE", "DROP"} or "SYNONYM" not in words[:_SYNONYM]:
        return []
    at = words.index("SYNONYM")
    if words[0] == "DROP":
        return [(chunk.words[0], chunk.words[at], "DROP VIEW")]
    if "FOR" not in words or "@" in chunk.text or words.index("FOR") + 1 == len(words):  # a table of another database
        return []
    link = chunk.words[words.index("FOR")]
    return [(chunk.words[0], chunk.words[at], "CREATE VIEW"), (link, link, "AS SELECT * FROM")]


def _is_new_query(chunk: Chunk) -> bool:
    words = [word.upper for word in chunk.words]
    if words[0] != "ALTER" or "VIEW" not in words[:_HEAD] or "TABLE" in words[: words.index("VIEW")]:
        return False
    behind = words[words.index("VIEW") :]
    return any(first == "AS" and second in {"SELECT", "WITH", "("} for first, second in itertools.pairwise(behind))
