"""What neither reader of a text speaks of: a statement that the SQL engine calls opaque or DDL, and that yields no step.

The engine and the DDL reader cut the same text each for themselves, so a statement finds its pieces again by their lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.change.steps import CreateTable, CreateView, DdlStep, Opaque
from app.change.tokens import Chunk
from app.reads import Statement

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DdlPiece:
    """A statement as the DDL reader cuts it, and what it found there."""

    chunk: Chunk
    steps: tuple[DdlStep, ...] = ()

    @property
    def span(self) -> Span:
        words = self.chunk.words
        return self.chunk.line(words[0]), self.chunk.line(words[-1]._replace(start=words[-1].end - 1))

    @property
    def speaks(self) -> bool:
        """Understood, and not only as far as its query is."""
        return any(not isinstance(step, CreateView) and not _is_query(step) for step in self.steps)


def find_uncovered(statements: Sequence[Statement], pieces: Sequence[DdlPiece], *, ddl: bool) -> Iterator[Opaque]:
    """`ddl` False: statements of a model, whose DDL the tool that builds it takes care of."""
    kinds = ("opaque", "ddl") if ddl else ("opaque",)
    if not any(statement.kind in kinds for statement in statements):
        return
    for place, statement in enumerate(statements):
        if statement.kind in kinds:
            own = _find_own(place, statements, pieces)
            if not any(piece.speaks for piece in own):
                text = " ".join(piece.chunk.text for piece in own)
                why = statement.why or "a statement that is not understood"
                yield Opaque(why, statement.why_line or statement.line, text)


def _find_own(place: int, statements: Sequence[Statement], pieces: Sequence[DdlPiece]) -> list[DdlPiece]:
    """The pieces with the statement's lines; of several on the same lines the one in its turn, where both cut alike."""
    first, last = span = _span(statements[place])
    exact = [piece for piece in pieces if piece.span == span]
    rivals = [n for n, other in enumerate(statements) if _span(other) == span]
    if len(exact) == len(rivals):
        return [exact[rivals.index(place)]]
    return [piece for piece in pieces if piece.span[0] <= last and piece.span[1] >= first]


def _span(statement: Statement) -> Span:
    return statement.line, statement.end_line


def _is_query(step: DdlStep) -> bool:
    return isinstance(step, CreateTable) and step.query
