"""CREATE statements: tables and views with their declared columns. Queries behind AS are the SQL engine's to read."""

from __future__ import annotations

import dataclasses

from app.change.columns import find_columns
from app.change.cursor import Cursor
from app.change.keywords import CREATE_MODIFIERS, THINGS
from app.change.routine_steps import find_routine
from app.change.steps import CreateTable, CreateView, DdlStep, Inert, Opaque
from app.change.tokens import Word, depth_of, split_list

_TEMPORARY = frozenset({"TEMP", "TEMPORARY", "VOLATILE", "PRIVATE"})


def find_create(cursor: Cursor) -> tuple[DdlStep, ...]:  # noqa: PLR0911 - one return for each kind of thing
    """Steps of one CREATE; () for CREATE MODEL, which the SQL engine reads. The cursor stands behind CREATE."""
    line = cursor.line()
    alter = cursor.take("OR", "ALTER")
    replace = cursor.take("OR", "REPLACE")
    seen = _take_modifiers(cursor)
    if (routine := find_routine(cursor, line, temporary=bool(seen & _TEMPORARY))) is not None:
        return (routine,)
    if cursor.take("TABLE"):
        return _create_table(cursor, line, replace=replace, keep=alter, temporary=bool(seen & _TEMPORARY))
    if cursor.take("VIEW"):
        return _create_view(cursor, line, replace=replace or alter, seen=seen)
    if cursor.peek() == "MODEL":
        return ()
    if cursor.done:
        return (Opaque("CREATE without anything to create", line, cursor.chunk.text),)
    if cursor.peek() not in THINGS:
        return (Opaque(f"CREATE {cursor.peek()} is not known", line, cursor.chunk.text),)
    return (Inert(f"CREATE {cursor.peek()}", line),)


def _take_modifiers(cursor: Cursor) -> set[str]:
    seen: set[str] = set()
    while cursor.peek() in CREATE_MODIFIERS:
        seen.add(cursor.peek())
        cursor.at += 1
        if cursor.peek(-1) == "=":  # DEFINER = 'x' and ALGORITHM = MERGE
            cursor.at += 1
    return seen


def _create_table(  # noqa: PLR0911 - one return for each form
    cursor: Cursor, line: int, *, replace: bool, keep: bool, temporary: bool
) -> tuple[DdlStep, ...]:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    temporary = temporary or cursor.peek() == "#"
    relation = cursor.relation()
    if relation is None or _is_dynamic(cursor, relation):
        return (Opaque("the name of the created table cannot be read", line, cursor.chunk.text),)
    step = CreateTable(relation, line, (), replace, if_not_exists, temporary, keep)
    if (source := _copied(cursor)) is not None:
        return (dataclasses.replace(step, like=source[0], clone=source[1]),)
    inner = cursor.group()
    query = any(word.upper in {"AS", "SELECT", "WITH"} for word in _outside(cursor.rest()))
    if inner is None:
        if cursor.peek() == "(":
            return (Opaque("the column list is never closed", line, cursor.chunk.text),)
        return (dataclasses.replace(step, query=True),)
    columns = find_columns(cursor, inner)
    if columns is None:
        if _is_query(inner):
            return (dataclasses.replace(step, query=True),)
        return (Opaque("the column list of the created table cannot be read", line, cursor.chunk.text),)
    return (dataclasses.replace(step, columns=columns, query=query),)


def _is_dynamic(cursor: Cursor, relation: str) -> bool:
    """Snowflake's IDENTIFIER($name): the name is known only when it runs."""
    return relation == "identifier" and cursor.dialect in {"snowflake", "databricks"}


def _is_query(words: tuple[Word, ...]) -> bool:
    return bool(words) and words[0].upper in {"SELECT", "WITH", "("}


def _outside(words: tuple[Word, ...]) -> list[Word]:
    """The words outside parentheses."""
    depth, outside = 0, []
    for word in words:
        depth += depth_of(word)
        if depth == 0:
            outside.append(word)
    return outside


def _copied(cursor: Cursor) -> tuple[str, bool] | None:
    """The table whose shape is copied, and whether its rows come along; the cursor stays put where there is none."""
    start = cursor.at
    inside = cursor.peek() == "(" and cursor.peek(1) == "LIKE"
    cursor.at += inside
    cursor.take_any("SHALLOW", "DEEP")
    for keywords, rows in ((("LIKE",), False), (("CLONE",), True), (("COPY",), True), (("PARTITION", "OF"), False)):
        if cursor.take(*keywords) and cursor.peek() != "GRANTS" and (source := cursor.relation()) is not None:
            return source, rows
    if cursor.take("AS") and cursor.dialect == "clickhouse" and cursor.peek() not in {"SELECT", "WITH", "("}:
        source = cursor.relation()
        if source is not None:
            return source, False
    cursor.at = start
    return None


def _create_view(cursor: Cursor, line: int, *, replace: bool, seen: set[str]) -> tuple[DdlStep, ...]:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    relation = cursor.relation()
    if relation is None or _is_dynamic(cursor, relation):
        return (Opaque("the name of the created view cannot be read", line, cursor.chunk.text),)
    inner = cursor.group() or ()
    names = [Cursor(cursor.chunk, cursor.dialect, item).name() for item in split_list(inner) if item]
    return (
        CreateView(
            relation,
            line,
            tuple(name for name in names if name is not None),
            replace,
            if_not_exists,
            temporary=bool(seen & _TEMPORARY),
            materialized="MATERIALIZED" in seen,
        ),
    )
