"""Statements that run other text (EXEC, EXECUTE IMMEDIATE, CALL, DO): read only where that text is one constant.

Everything else of this kind is `Opaque`: nobody can tell from the files what it does.
"""

from __future__ import annotations

from app.change.alter import beside
from app.change.conditions import find_all, is_silent
from app.change.cursor import Cursor, fold_parts
from app.change.opaque import FindSteps, opaque
from app.change.steps import DdlStep, Inert, RenameColumn, RenameTable
from app.change.tokens import Word, find_chunks, split_list
from app.reads import Unreadable

_HARMLESS_PROCEDURES = frozenset(
    {"sp_addextendedproperty", "sp_updateextendedproperty", "sp_updatestats", "sp_recompile", "sp_dropextendedproperty"}
)
#: tell somebody something, or wait
_TELLING_PROCEDURES = frozenset({"system$send_email", "system$send_snowflake_notification", "system$wait", "put_line"})
_MAX_NESTING = 3


def find_dynamic(cursor: Cursor, nesting: int, find: FindSteps) -> tuple[DdlStep, ...]:
    """EXEC, EXECUTE IMMEDIATE, CALL, DO: readable only where the text they run is one constant."""
    verb = cursor.peek()
    cursor.at += 1
    if verb == "DO":
        return _find_block(cursor, nesting, find)
    if cursor.take("IMMEDIATE") or cursor.peek() == "(":
        return _find_constant(cursor, nesting, find, f"{verb} runs SQL that is not a constant")
    name = cursor.relation()
    procedure = (name or "").rpartition(".")[2].strip('"')
    if procedure == "sp_rename":
        return _find_sp_rename(cursor)
    if procedure in _HARMLESS_PROCEDURES | _TELLING_PROCEDURES or _is_mail(procedure, cursor):
        return (Inert(procedure, cursor.line()),)
    if procedure == "sp_executesql":
        return _find_constant(cursor, nesting, find, "sp_executesql runs SQL that is not a constant")
    return opaque(cursor, f"{verb} {name or ''} runs code that is not here".replace("  ", " "))


def _is_mail(procedure: str, cursor: Cursor) -> bool:
    """Mail may carry the answer to a query, which is any SQL: it is the seventh argument, or named."""
    return procedure == "sp_send_dbmail" and cursor.peek() == "@" and "QUERY" not in {w.upper for w in cursor.rest()}


def _find_constant(cursor: Cursor, nesting: int, find: FindSteps, why: str) -> tuple[DdlStep, ...]:
    inner = cursor.group() if cursor.peek() == "(" else cursor.rest()
    words = [word for word in inner or () if word.upper != ";"]
    if len(words) != 1 or not words[0].string or nesting >= _MAX_NESTING:
        return opaque(cursor, why)
    return _find_inside(cursor, words[0], nesting, find, why)


def _find_inside(cursor: Cursor, text: Word, nesting: int, find: FindSteps, why: str) -> tuple[DdlStep, ...]:
    """Steps of the SQL in a constant, at the lines where it stands. One that holds anything else stays opaque."""
    before = cursor.chunk.line(text) - 1
    try:
        chunks = list(find_chunks("\n" * before + text.text, dialect=cursor.dialect))
    except Unreadable as error:
        return opaque(cursor, f"{why}: {error.reason}")
    steps: list[DdlStep] = []
    for chunk, found in find_all(chunks, cursor.dialect, nesting + 1, find):
        if not found and not is_silent(chunk):
            return opaque(cursor, why)
        steps += found
    return tuple(steps)


def _find_block(cursor: Cursor, nesting: int, find: FindSteps) -> tuple[DdlStep, ...]:
    """`DO $$ BEGIN ...; END $$`: read where it is nothing but DDL, one statement after another."""
    why = "DO runs a block whose effect cannot be told from its text"
    strings = [word for word in cursor.rest() if word.string]
    if len(strings) != 1 or nesting >= _MAX_NESTING:
        return opaque(cursor, why)
    body = strings[0]
    inner = body.text.strip()
    if not inner[:5].upper().startswith("BEGIN") or not inner.rstrip("; \n\t").upper().endswith("END"):
        return opaque(cursor, why)
    first = body.text.upper().index("BEGIN") + len("BEGIN")
    last = body.text.upper().rindex("END")
    blanked = "".join("\n" if char == "\n" else " " for char in body.text[:first]) + body.text[first:last]
    return _find_inside(cursor, Word(blanked, body.start, body.end, string=True), nesting, find, why)


def _find_sp_rename(cursor: Cursor) -> tuple[DdlStep, ...]:
    """T-SQL: `EXEC sp_rename 'schema.table.column', 'new', 'COLUMN'`, with or without the parameters' names."""
    line = cursor.chunk.line(cursor.chunk.words[0])
    arguments = [item[-1] for item in split_list(cursor.rest()) if item and item[-1].string]
    count = len(split_list(cursor.rest()))
    if len(arguments) != count or not 2 <= count <= 3:
        return opaque(cursor, "sp_rename with arguments that are no constants")
    old, new = arguments[0].text, arguments[1].text
    kind = arguments[2].text.upper() if count == 3 else "OBJECT"
    parts = [part.strip('[]"') for part in old.split(".")]
    words = [Word(part, 0, 0) for part in parts]
    if kind == "COLUMN" and len(parts) >= 2:
        return (
            RenameColumn(_fold(words[:-1], cursor), _fold(words[-1:], cursor), _fold([Word(new, 0, 0)], cursor), line),
        )
    if kind == "OBJECT":
        relation = _fold(words, cursor)
        return (RenameTable(relation, beside(relation, _fold([Word(new, 0, 0)], cursor)), line),)
    if kind in {"INDEX", "STATISTICS", "USERDATATYPE"}:
        return (Inert("sp_rename of an index", line),)
    return opaque(cursor, f"sp_rename of {kind} is not understood")


def _fold(words: list[Word], cursor: Cursor) -> str:
    return fold_parts(words, cursor.dialect)
