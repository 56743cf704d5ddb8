"""What statements that run other text begin with, and how one that is not understood is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from app.change.cursor import Cursor
from app.change.steps import DdlStep, Opaque
from app.change.tokens import Chunk

DYNAMIC = frozenset({"EXEC", "EXECUTE", "CALL", "DO"})
#: reads one statement: (chunk, dialect, nesting) -> steps
FindSteps: TypeAlias = Callable[[Chunk, str, int], tuple[DdlStep, ...]]


def opaque(cursor: Cursor, why: str) -> tuple[DdlStep, ...]:
    """The whole statement, not understood."""
    return (Opaque(why, cursor.chunk.line(cursor.chunk.words[0]), cursor.chunk.text),)
