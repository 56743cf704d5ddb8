"""DDL under a condition: read where it makes no difference which way the condition goes.

That is so where the condition only asks whether the thing is there that the statement drops or makes, and where both
branches do the same. Everything else is opaque: whether it runs cannot be told from the files.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from app.change import steps as ddl
from app.change.cursor import Cursor
from app.change.names import split_name
from app.change.opaque import DYNAMIC, FindSteps, opaque
from app.change.step_names import place_step
from app.change.steps import DdlStep
from app.change.tokens import Chunk, Word, depth_of

_CONDITIONAL = frozenset({"IF", "WHILE", "DECLARE", "ELSE", "FOR", "LOOP", "CASE", "ELSIF", "ELSEIF"})
_DDL = frozenset({"ALTER", "DROP", "CREATE", "TRUNCATE", "SP_RENAME", "RENAME", "UNDROP", "EXCHANGE"}) | DYNAMIC
#: what tells which relations and columns there are
_CATALOGS = frozenset({
    "INFORMATION_SCHEMA", "SYS", "PG_CATALOG", "PG_CLASS", "PG_ATTRIBUTE", "PG_TABLES", "PG_VIEWS", "SYSCOLUMNS",
    "SYSOBJECTS", "USER_TAB_COLUMNS", "ALL_TAB_COLUMNS", "USER_TAB_COLS", "USER_TABLES", "ALL_TABLES", "USER_VIEWS",
})  # fmt: skip
_LOOKUPS = frozenset({"COL_LENGTH", "OBJECT_ID", "TO_REGCLASS", "COLUMNPROPERTY"})
#: what a question for a table names besides it: its schema, its kind
_BESIDE_TABLES = frozenset({"public", "dbo", "u", "v", "base table", "view", "r"})
_WHY = "DDL under a condition: whether it runs cannot be told"


def find_all(
    chunks: Iterable[Chunk], dialect: str, nesting: int, find: FindSteps
) -> Iterator[tuple[Chunk, tuple[DdlStep, ...]]]:
    """The steps of each statement; of IF and ELSE that do the same, once."""
    listed = list(chunks)
    index = 0
    while index < len(listed):
        chunk = listed[index]
        following = listed[index + 1] if index + 1 < len(listed) else None
        if following is not None and _first(chunk) == "IF" and _first(following) == "ELSE":
            steps = _in_both(chunk, following, dialect, nesting, find)
            if steps:
                yield chunk, steps
                yield following, (ddl.Inert("ELSE does the same", following.line(following.words[0])),)
                index += 2
                continue
        yield chunk, find(chunk, dialect, nesting)
        index += 1


def find_conditional(cursor: Cursor, nesting: int, find: FindSteps) -> tuple[DdlStep, ...]:
    """IF ..., WHILE ..., DECLARE ... and the pieces of procedural blocks: opaque only if DDL or dynamic SQL is inside."""
    if cursor.peek() not in _CONDITIONAL or not {word.upper for word in cursor.rest()} & _DDL:
        return ()
    if cursor.peek() == "IF":
        condition, body, otherwise = _part(cursor)
        inside = _steps_of(body, cursor, nesting, find)
        other = _steps_of(otherwise, cursor, nesting, find)
        if inside and _effects(inside) == _effects(other):
            return inside
        if inside and not other and (guarded := _guard(inside, condition)):
            return guarded
    return opaque(cursor, _WHY)


def is_silent(chunk: Chunk) -> bool:
    """The end of a block, or a message: nothing that does anything."""
    words = [word.upper for word in chunk.words]
    return words[0] == "RAISE" or set(words) <= {"END", "IF", "NULL", "LOOP"}


def _first(chunk: Chunk) -> str:
    return chunk.words[0].upper


def _in_both(first: Chunk, second: Chunk, dialect: str, nesting: int, find: FindSteps) -> tuple[DdlStep, ...]:
    """The steps of an IF whose ELSE, a statement of its own, does the same; () where they differ."""
    cursor, other = Cursor(first, dialect), Cursor(second, dialect)
    _, body, otherwise = _part(cursor)
    steps = _steps_of(body, cursor, nesting, find)
    same = _effects(steps) == _effects(_steps_of(second.words[1:], other, nesting, find))
    return steps if same and not otherwise else ()


def _part(cursor: Cursor) -> tuple[tuple[Word, ...], tuple[Word, ...], tuple[Word, ...]]:
    """Condition, body and the body of ELSE. The condition ends at THEN, or where a statement begins (T-SQL)."""
    words = cursor.rest()[1:]
    start = _find_at_top(words, frozenset({"THEN", "BEGIN", *_DDL}))
    if start is None:
        return words, (), ()
    body = words[start + (words[start].upper in {"THEN", "BEGIN"}) :]
    end = _find_at_top(body, frozenset({"ELSE", "ELSIF", "ELSEIF"}))
    if end is None:
        return words[:start], _unwrapped(body), ()
    if body[end].upper != "ELSE":
        return words[:start], (), ()
    return words[:start], _unwrapped(body[:end]), _unwrapped(body[end + 1 :])


def _find_at_top(words: Sequence[Word], wanted: frozenset[str]) -> int | None:
    depth = 0
    for index, word in enumerate(words):
        depth += depth_of(word)
        if depth == 0 and word.upper in wanted:
            return index
    return None


def _unwrapped(words: tuple[Word, ...]) -> tuple[Word, ...]:
    while words and words[0].upper == "BEGIN":
        words = words[1:]
    while words and (words[-1].upper == "END" or (words[-1].upper == "IF" and len(words) > 1)):
        words = words[:-1]
    return words


def _steps_of(words: tuple[Word, ...], cursor: Cursor, nesting: int, find: FindSteps) -> tuple[DdlStep, ...]:
    return find(Chunk(words, cursor.chunk.sql, cursor.chunk.starts), cursor.dialect, nesting) if words else ()


def _effects(steps: Iterable[DdlStep]) -> list[DdlStep]:
    """The steps without their lines."""
    return [place_step(step, lambda _: 0) for step in steps]


# --- is it there ----------------------------------------------------------------------------------------------------


def _guard(steps: tuple[DdlStep, ...], condition: tuple[Word, ...]) -> tuple[DdlStep, ...]:
    """The steps as ones that only run where they have something to do; () where the condition asks something else."""
    asks_for = _asks_for(condition)
    if asks_for is None:
        return ()
    named = {part.strip('[]"`').lower() for word in condition if word.string for part in word.text.split(".")}
    guarded = [_guarded(step, named, there=asks_for) for step in steps]
    return () if None in guarded else tuple(step for step in guarded if step is not None)


def _asks_for(condition: tuple[Word, ...]) -> bool | None:
    """True: the thing has to be there, False: it must not be; None: the condition is another one."""
    while condition and condition[0].upper == "(" and _closes_at(condition) == len(condition) - 1:
        condition = condition[1:-1]
    uppers = [word.upper for word in condition]
    there = uppers[:1] != ["NOT"]
    if not there:
        return _negated(_asks_for(condition[1:]))
    if uppers[:1] == ["EXISTS"] and _closes_at(condition[1:]) == len(condition) - 2 and "OR" not in uppers:
        return True if set(uppers) & (_CATALOGS | _LOOKUPS) else None
    if uppers[:1] and uppers[0] in _LOOKUPS and "OR" not in uppers and "AND" not in uppers:
        tail = uppers[(_closes_at(condition[1:]) or 0) + 2 :]
        return {("IS", "NOT", "NULL"): True, ("IS", "NULL"): False}.get(tuple(tail))
    return None


def _negated(asked: bool | None) -> bool | None:  # noqa: FBT001 - private: turns an answer round
    return None if asked is None else not asked


def _closes_at(words: Sequence[Word]) -> int | None:
    """Where the parenthesis closes that `words` begins with."""
    depth = 0
    for index, word in enumerate(words):
        depth += depth_of(word)
        if depth == 0:
            return index if index else None
    return None


def _guarded(  # noqa: PLR0911 - one return for each kind of step
    step: DdlStep, named: set[str], *, there: bool
) -> DdlStep | None:
    """The step if the condition is about what it works on; None if it is not."""

    def about(name: str) -> bool:
        return name.rpartition(".")[2].strip('"').lower() in named

    def about_table_alone(relation: str) -> bool:
        return about(relation) and named <= _BESIDE_TABLES | {part.strip('"').lower() for part in split_name(relation)}

    match step:
        case ddl.DropColumn() if there and (about(step.column) or about_table_alone(step.relation)):
            return dataclasses.replace(step, if_exists=True)
        case ddl.DropTable() | ddl.DropView() if there and about(step.relation):
            return dataclasses.replace(step, if_exists=True)
        case ddl.RenameColumn() if about(step.old if there else step.new) or (
            there and about_table_alone(step.relation)
        ):
            return step
        case ddl.RenameTable() if about(step.old if there else step.new):
            return step
        case ddl.AddColumn() if not there and about(step.column.name):
            return dataclasses.replace(step, if_not_exists=True)
        case ddl.CreateTable() | ddl.CreateView() if not there and about(step.relation):
            return dataclasses.replace(step, if_not_exists=True)
        case ddl.Inert() | ddl.Opaque():
            return step
        case _:
            return None
