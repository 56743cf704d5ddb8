"""The part of a migration that is never applied when it is rolled forward, blanked so that lines keep their numbers."""

from __future__ import annotations

import re

#: goose, sql-migrate and dbmate: a comment line opens each part
_UP = re.compile(r"^\s*--\s*(\+goose\s+up|\+migrate\s+up|migrate:up)\b", re.IGNORECASE)
_DOWN = re.compile(r"^\s*--\s*(\+goose\s+down|\+migrate\s+down|migrate:down)\b", re.IGNORECASE)
_BATCH_END = re.compile(r"^\s*GO\s*;?\s*$", re.IGNORECASE)


def blank_down_parts(sql: str) -> str:
    """The same lines, those between a down marker and the next up marker (or the end) empty.

    A file without an up marker belongs to no such tool: it runs whole, and its "down marker" is a comment.
    """
    lines, down, marked = [], False, False
    for line in sql.split("\n"):
        if _UP.match(line):
            down, marked = False, True
        elif _DOWN.match(line):
            down = marked
        lines.append("" if down else line)
    return "\n".join(lines)


def end_batches(sql: str) -> str:
    """T-SQL tools send what stands before a line `GO` as one batch: to a parser it ends a statement."""
    return "\n".join(";" if _BATCH_END.match(line) else line for line in sql.split("\n"))
