"""Statements that a SQLMesh model runs before and after its query. Those that change relations are SQL of their own, as hooks.

`@this_model` in them is the model's relation. What they read, the model's own text is read for.
Rules: sqlmesh.readthedocs.io, "Pre- and post-statements", "On-virtual-update statements".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.render.sql_text import SqlText

_PIECE: Final = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z)|;|[^'\"`;/-]+|.",
    re.DOTALL,
)
_LEAD: Final = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*(\(|\w+)")
_QUERY: Final = frozenset({"select", "with", "from", "("})
_CHANGES: Final = frozenset({"alter", "drop", "truncate", "rename"})
_THIS: Final = re.compile(r"@this_model\b", re.IGNORECASE)


def find_statements(model: SqlText) -> Iterator[SqlText]:
    """Of a model's rendered text, one for those before its query and one for those behind it; lines stay."""
    before: list[str] = []
    behind: list[str] = []
    into = before
    for statement in _split(model.sql):
        lead = _LEAD.match(statement)
        word = lead[1].lower() if lead else ""
        blank = re.sub(r"[^\n]", " ", statement)
        for texts in (before, behind):
            texts.append(_THIS.sub(model.relation or "", statement) if texts is into and word in _CHANGES else blank)
        if word in _QUERY:
            into = behind
    rebuilt = model.relation if model.materialized != "incremental" else None
    for texts, relation in ((before, rebuilt), (behind, None)):
        if any(text.strip() for text in texts):
            hook = replace(model, sql="".join(texts), kind="hook", relation=None, materialized=None, rebuilt=relation)
            yield hook


def _split(sql: str) -> Iterator[str]:
    """Each statement with its semicolon; together they are the text."""
    start = 0
    for piece in _PIECE.finditer(sql):
        if piece.group() == ";":
            yield sql[start : piece.end()]
            start = piece.end()
    yield sql[start:]
