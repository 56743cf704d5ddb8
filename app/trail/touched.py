"""What becomes of a statement, as a value, and the small questions that every kind of loss asks about one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.reads import Output, Read, Rival, Statement
from app.trail.trail import Effect

#: clauses whose columns reach only the output they stand in
PROJECTION: Final = frozenset({"select", "set", "insert", "replace", "rename", "exclude"})
#: statements whose rows go into columns by place or by a list, so that a star does not carry a name through
WRITES: Final = frozenset({"insert", "merge", "update", "delete"})


@dataclass(frozen=True, slots=True)
class Touch:
    """`columns` of the target, None = the whole of it. `certain` False: the statement may not mean this relation's column.

    `narrows`: the target loses columns, as a star passes the loss on. `lines` are lines of the statement's file.
    `retyped` are those of `columns` that hand a new type on. `gained`: nothing is lost, a star hands a new column on.
    """

    effect: Effect
    columns: tuple[str, ...] | None
    lines: tuple[int, ...]
    certain: bool = True
    narrows: bool = False
    note: str = ""
    retyped: tuple[str, ...] = ()
    gained: bool = False


def find_stopped(statement: Statement) -> tuple[str, ...] | None:
    """What a failed statement leaves unbuilt: an UPDATE only the columns it sets, anything else its whole target."""
    if statement.kind == "update" and statement.outputs:
        return tuple(dict.fromkeys(output.name for output in statement.outputs))
    return None


def find_placed(
    statement: Statement, outputs: tuple[str, ...] | None, order: Sequence[str], column: str
) -> tuple[str, ...] | None:
    """A positional INSERT names its outputs as the query does; the target's own order says which columns they fill."""
    if outputs is None or not statement.positional:
        return outputs
    names = [column if output.name == "*" else output.name for output in statement.outputs]
    if len(order) < len(names) or any(output.name == "*" for output in statement.outputs):
        return None
    return tuple(order[place] for place, name in enumerate(names) if name in outputs)


def comes_from(output: Output, names: frozenset[str]) -> bool:
    return any(ref.relation in names for ref in output.sources)


def find_line_numbers(found: Sequence[Read | Output | Rival]) -> tuple[int, ...]:
    return tuple(sorted({item.line for item in found}))
