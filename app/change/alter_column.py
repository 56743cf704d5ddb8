"""ALTER COLUMN, MODIFY and CHANGE: one column gets another type, default, nullability or name."""

from __future__ import annotations

from app.change.columns import find_column
from app.change.cursor import Cursor
from app.change.steps import (
    AlterType,
    AlterValues,
    Column,
    DdlStep,
    DropDefault,
    DropNotNull,
    Inert,
    MoveColumn,
    Opaque,
    RenameColumn,
    SetDefault,
    SetNotNull,
    SetVisible,
)
from app.change.tokens import split_list

#: Redshift: ALTER TABLE t ALTER DISTKEY c says how rows are stored
_STORAGE = frozenset({"DISTKEY", "DISTSTYLE", "SORTKEY", "COMPOUND", "INTERLEAVED", "ENCODE"})


def _opaque(reader: Cursor, why: str) -> Opaque:
    return Opaque(why, reader.line(), reader.chunk.text)


def alter_column(  # noqa: PLR0911 - one return for each form
    reader: Cursor, relation: str, line: int, verb: str
) -> tuple[DdlStep, ...]:
    if reader.take_any("CONSTRAINT", "INDEX", "PARTITION", "SETTING", "TTL", "SAMPLE", "CHECK", "PRIMARY", "ORDER"):
        return (Inert(f"{verb} of something that is no column", line),)
    if reader.dialect == "redshift" and reader.peek() in _STORAGE:
        return (Inert(f"{verb} {reader.peek()}", line),)
    if verb == "MODIFY" and reader.peek() == "QUERY":
        return (_opaque(reader, "the new query of a materialized view is not read here"),)
    if reader.peek() == "(":
        inner = reader.group() or ()
        items = [Cursor(reader.chunk, reader.dialect, item) for item in split_list(inner) if item]
        return tuple(
            step for item in items for step in alter_column(item, relation, reader.chunk.line(item.words[0]), verb)
        )
    reader.take("COLUMN")
    reader.take("IF", "EXISTS")
    start = reader.at
    name = reader.name()
    if name is None:
        return (_opaque(reader, "it is not understood which column is altered"),)
    step = _alter_attribute(reader, relation, name, line)
    if step is not None:
        return (step,)
    if reader.peek() in {"TYPE", "SET", "DROP", "ADD", "UNSET"}:
        return (_opaque(reader, f"the change of column {name} is not understood"),)
    column = find_column(reader, reader.words[start:])
    return _redefine(reader, relation, column, line) if column else (_opaque(reader, "no column definition"),)


def _alter_attribute(  # noqa: PLR0911 - one return for each form
    reader: Cursor, relation: str, name: str, line: int
) -> DdlStep | None:
    """`ALTER c <this>`; None where it is a whole new definition or not understood."""
    if reader.take("TYPE") or reader.take("SET", "DATA", "TYPE") or reader.take("SET", "TYPE"):
        column = find_column(reader, (reader.words[reader.at - 1], *reader.rest())) if not reader.done else None
        return AlterType(relation, name, column.type, line) if column and column.type else None
    if reader.take("SET", "DEFAULT"):
        return SetDefault(relation, name, reader.slice(reader.rest()), line)
    if reader.take("DROP", "DEFAULT"):
        return DropDefault(relation, name, line)
    if reader.take("SET", "NOT", "NULL") or reader.take("NOT", "NULL"):
        return SetNotNull(relation, name, line)
    if reader.take("DROP", "NOT", "NULL") or reader.take("NULL"):
        return DropNotNull(relation, name, line)
    if reader.take("SET", "MASKING") or reader.take("UNSET", "MASKING") or reader.take("DROP", "MASK"):
        return AlterValues(relation, name, "masking policy", line)
    if reader.take("SET", "EXPRESSION"):
        return AlterValues(relation, name, f"expression {reader.slice(reader.rest())}", line)
    if reader.take("RENAME", "TO"):
        new = reader.name()
        return RenameColumn(relation, name, new, line) if new else None
    return _alter_inert(reader, relation, name, line)


def _alter_inert(reader: Cursor, relation: str, name: str, line: int) -> DdlStep | None:
    first, second = reader.peek(), reader.peek(1)
    if (visible := second if first == "SET" else first) in {"VISIBLE", "INVISIBLE"}:
        return SetVisible(relation, name, visible == "VISIBLE", line)
    if first in {"FIRST", "AFTER"}:
        return _find_move(reader, relation, name, line)
    if first in {"COMMENT", "ENCODE", "RESTART", "REMOVE", "CODEC", "TTL"}:
        return Inert(f"ALTER column {first}", line)
    if first in {"SET", "RESET", "DROP", "ADD", "UNSET"} and second in {
        "STATISTICS", "STORAGE", "COMPRESSION", "OPTIONS", "TAG", "GENERATED", "IDENTITY", "COMMENT", "TAGS",
        "START", "INCREMENT", "CACHE", "(", "PROJECTION", "EXPRESSION",
    }:  # fmt: skip
        return Inert(f"ALTER column {first} {second}", line)
    return None


def _find_move(reader: Cursor, relation: str, name: str, line: int) -> MoveColumn | None:
    """`... FIRST` or `... AFTER c` at the end of an action."""
    words = reader.words
    if len(words) > 1 and words[-1].upper == "FIRST":
        return MoveColumn(relation, name, "", line)
    if len(words) > 2 and words[-2].upper == "AFTER":
        after = Cursor(reader.chunk, reader.dialect, words[-1:]).name()
        return MoveColumn(relation, name, after, line) if after else None
    return None


def _redefine(reader: Cursor, relation: str, column: Column, line: int) -> tuple[DdlStep, ...]:
    """`MODIFY c type [NOT NULL] [DEFAULT x]`: MySQL and T-SQL say all of it anew, the others only what they change."""
    steps: list[DdlStep] = []
    words = [word.upper for word in reader.words]
    if column.type:
        steps.append(AlterType(relation, column.name, column.type, line))
    if column.not_null:
        steps.append(SetNotNull(relation, column.name, line))
    elif "NULL" in words or reader.dialect in {"mysql", "tsql"}:
        steps.append(DropNotNull(relation, column.name, line))
    if column.default:
        steps.append(SetDefault(relation, column.name, column.default, line))
    elif reader.dialect == "mysql":
        steps.append(DropDefault(relation, column.name, line))
    if "INVISIBLE" in words or "VISIBLE" in words:
        steps.append(SetVisible(relation, column.name, "INVISIBLE" not in words, line))
    if (move := _find_move(reader, relation, column.name, line)) is not None:
        steps.append(move)
    return tuple(steps) or (Inert("a column definition without a change", line),)


def change_column(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    reader.take("COLUMN")
    old = reader.name()
    column = find_column(reader, reader.rest()) if old and not reader.done else None
    if old is None or column is None:
        return (_opaque(reader, "it is not understood which column is changed"),)
    renamed = (RenameColumn(relation, old, column.name, line),) if old != column.name else ()
    return (*renamed, *_redefine(reader, relation, column, line))
