"""DDL statements -> steps. First stage of a migration's way: text -> steps (here) -> replay -> removals.

Every statement that may take something away yields a step: what it does, `Inert`, or `Opaque` with the reason. Queries and
DML yield nothing: `app.reads` reads those.
"""

from __future__ import annotations

from collections.abc import Callable

from app.change.alter import beside, find_alter
from app.change.conditions import find_all, find_conditional
from app.change.create import find_create
from app.change.cursor import Cursor
from app.change.dynamic import find_dynamic
from app.change.handed import find_handed
from app.change.keywords import DROP_MODIFIERS, THINGS
from app.change.opaque import DYNAMIC, opaque
from app.change.routine_steps import find_altered_routine, find_dropped_routines
from app.change.steps import (
    DdlStep,
    DropSchema,
    DropTable,
    DropView,
    Inert,
    Opaque,
    RenameSchema,
    RenameTable,
    SwapTables,
    Truncate,
)
from app.change.tokens import Chunk, find_chunks, split_list
from app.change.uncovered import DdlPiece

_ALTER_MODIFIERS = DROP_MODIFIERS | {"STREAMING", "MATERIALIZED"}
#: dropping one of these with CASCADE takes columns or views along that it does not name
_CASCADING = frozenset({"TYPE", "DOMAIN", "FUNCTION", "EXTENSION", "SEQUENCE", "OWNED", "COLLATION", "AGGREGATE"})


def find_ddl(sql: str, *, dialect: str) -> tuple[DdlStep, ...]:
    """The steps of a text, in order, lines 1-based in it. Raises Unreadable where it cannot be tokenized."""
    return tuple(step for piece in find_pieces(sql, dialect=dialect) for step in piece.steps)


def find_pieces(sql: str, *, dialect: str, ddl: bool = True) -> tuple[DdlPiece, ...]:
    """The same by statements; without `ddl` they are only cut."""
    chunks = find_chunks(sql, dialect=dialect)
    if not ddl:
        return tuple(map(DdlPiece, chunks))
    return tuple(DdlPiece(*found) for found in find_all(chunks, dialect, 0, _find_steps))


def _find_steps(chunk: Chunk, dialect: str, nesting: int) -> tuple[DdlStep, ...]:
    cursor = Cursor(chunk, dialect)
    while cursor.take_any("BEGIN", "TRANSACTION", "TRAN", "WORK", "END", "GO"):
        pass
    if cursor.done:
        return ()
    if cursor.peek() in DYNAMIC:
        return find_dynamic(cursor, nesting, _find_steps)
    reader = _READERS.get(cursor.peek())
    if reader is not None:
        cursor.at += 1
        return reader(cursor)
    return find_handed(cursor) or find_conditional(cursor, nesting, _find_steps)


def _find_alter(cursor: Cursor) -> tuple[DdlStep, ...]:
    while cursor.take_any(*_ALTER_MODIFIERS):
        pass
    kind = cursor.peek()
    if cursor.take("SCHEMA"):
        return _alter_schema(cursor)
    if kind not in {"TABLE", "VIEW"}:
        return _alter_other(cursor, kind)
    cursor.at += 1
    cursor.take("IF", "EXISTS")
    cursor.take("ONLY")
    relation = cursor.relation()
    if relation is None or cursor.peek() == "(":
        return opaque(cursor, "the name of the altered relation cannot be read")
    cursor.take("*")
    if cursor.take("ON", "CLUSTER"):
        cursor.at += 1
    if cursor.take("WITH", "NOCHECK") or cursor.take("WITH", "CHECK"):
        return (Inert("ALTER TABLE ... WITH CHECK", cursor.line()),)
    if cursor.done:
        return opaque(cursor, "ALTER without an action")
    return find_alter(cursor, relation)


def _alter_other(cursor: Cursor, kind: str) -> tuple[DdlStep, ...]:
    words = {word.upper for word in cursor.rest()}
    if kind == "TYPE" and not words & {"VALUE", "OWNER"}:
        return opaque(cursor, "ALTER TYPE may change columns of that type")
    if kind == "DATABASE" and words & {"RENAME", "SWAP"}:
        return opaque(cursor, "a database is renamed: every relation in it goes")
    if (routine := find_altered_routine(cursor, kind)) is not None:
        return (routine,)
    if kind not in THINGS:
        return opaque(cursor, f"ALTER {kind} is not known" if kind else "ALTER without anything to alter")
    return (Inert(f"ALTER {kind}", cursor.line()),)


def _alter_schema(cursor: Cursor) -> tuple[DdlStep, ...]:
    line = cursor.line()
    schema = cursor.relation()
    if schema is None:
        return opaque(cursor, "the name of the altered schema cannot be read")
    if cursor.take("TRANSFER"):
        if cursor.take("OBJECT"):  # T-SQL writes OBJECT::name
            cursor.take("::")
        moved = cursor.relation()
        return (RenameTable(moved, f"{schema}.{moved.rpartition('.')[2]}", line),) if moved else opaque(cursor, "?")
    if cursor.take("RENAME", "TO"):
        new = cursor.relation()
        return (RenameSchema(schema, beside(schema, new), line),) if new else opaque(cursor, "the new name is missing")
    if cursor.peek() == "SWAP":
        return opaque(cursor, "two schemas are swapped: which columns change is not known")
    return (Inert("ALTER SCHEMA", line),)


def _find_drop(cursor: Cursor) -> tuple[DdlStep, ...]:
    line = cursor.line()
    while cursor.take_any(*DROP_MODIFIERS):
        pass
    materialized = cursor.take("MATERIALIZED")
    kind = cursor.peek()
    words = {word.upper for word in cursor.rest()}
    cascade = "CASCADE" in words
    if kind in {"TABLE", "VIEW"}:
        cursor.at += 1
        return _drop_relations(cursor, line, view=materialized or kind == "VIEW")
    if kind in {"SCHEMA", "DATABASE"}:
        cursor.at += 1
        cursor.take("IF", "EXISTS")
        return _drop_schemas(cursor, line, database=kind == "DATABASE", cascade=cascade)
    if cursor.done:
        return opaque(cursor, "DROP without anything to drop")
    if kind in _CASCADING and (cascade or kind == "OWNED"):
        more = opaque(cursor, f"DROP {kind} ... CASCADE takes along what it does not name")
        return (*find_dropped_routines(cursor, line, kind), *more)
    return find_dropped_routines(cursor, line, kind) or _drop_other(cursor, line, kind)


def _drop_other(cursor: Cursor, line: int, kind: str) -> tuple[DdlStep, ...]:
    if kind not in THINGS:
        return opaque(cursor, f"DROP {kind} is not known")
    return (Inert(f"DROP {kind}", line),)


def _drop_relations(cursor: Cursor, line: int, *, view: bool) -> tuple[DdlStep, ...]:
    if_exists = cursor.take("IF", "EXISTS")
    steps: list[DdlStep] = []
    words = {word.upper for word in cursor.rest()}
    cascade = "CASCADE" in words
    for item in split_list(cursor.rest()):
        reader = Cursor(cursor.chunk, cursor.dialect, item)
        relation = reader.relation()
        if relation is None or reader.peek() == "(":
            return opaque(cursor, "it is not understood which relation is dropped")
        at = cursor.chunk.line(item[0])
        steps.append(
            DropView(relation, at, cascade, if_exists) if view else DropTable(relation, at, cascade, if_exists)
        )
    return tuple(steps) or (Opaque("DROP without a name", line, cursor.chunk.text),)


def _drop_schemas(cursor: Cursor, line: int, *, database: bool, cascade: bool) -> tuple[DdlStep, ...]:
    steps: list[DdlStep] = []
    for item in split_list(cursor.rest()):
        schema = Cursor(cursor.chunk, cursor.dialect, item).relation()
        if schema is None:
            return opaque(cursor, "it is not understood which schema is dropped")
        steps.append(DropSchema(schema, line, cascade, database))
    return tuple(steps)


def _find_truncate(cursor: Cursor) -> tuple[DdlStep, ...]:
    line = cursor.line()
    if cursor.take("ALL") or cursor.peek() in {"DATABASE", "SCHEMA"}:
        return opaque(cursor, "it is not told which tables are emptied")
    cursor.take("TABLE")
    cursor.take("IF", "EXISTS")
    cursor.take("ONLY")
    steps: list[DdlStep] = []
    for item in split_list(cursor.rest()):
        relation = Cursor(cursor.chunk, cursor.dialect, item).relation()
        if relation is None:
            return opaque(cursor, "it is not understood which table is emptied")
        steps.append(Truncate(relation, line))
    return tuple(steps)


def _find_rename(cursor: Cursor) -> tuple[DdlStep, ...]:
    """`RENAME TABLE a TO b, c TO d` (MySQL, ClickHouse, Teradata), `RENAME a TO b` (Oracle)."""
    cursor.take_any("TABLE", "TABLES", "VIEW")
    if cursor.peek() in {"DATABASE", "USER", "DICTIONARY"}:
        return opaque(cursor, f"RENAME {cursor.peek()} is not understood")
    cursor.take("IF", "EXISTS")
    steps: list[DdlStep] = []
    for item in split_list(cursor.rest()):
        reader = Cursor(cursor.chunk, cursor.dialect, item)
        old = reader.relation()
        new = reader.relation() if old and (reader.take("TO") or reader.take("AS")) else None
        if old is None or new is None:
            return opaque(cursor, "it is not understood what is renamed")
        steps.append(RenameTable(old, beside(old, new), cursor.chunk.line(item[0])))
    return tuple(steps)


def _find_exchange(cursor: Cursor) -> tuple[DdlStep, ...]:
    """ClickHouse: `EXCHANGE TABLES a AND b`."""
    line = cursor.line()
    cursor.take_any("TABLES", "TABLE")
    first = cursor.relation()
    second = cursor.relation() if first and cursor.take("AND") else None
    if first is None or second is None:
        return opaque(cursor, "it is not understood which tables are exchanged")
    return (SwapTables(first, second, line),)


def _find_undrop(cursor: Cursor) -> tuple[DdlStep, ...]:
    return opaque(cursor, "UNDROP brings back a state that is not in the files")


_READERS: dict[str, Callable[[Cursor], tuple[DdlStep, ...]]] = {
    "ALTER": _find_alter,
    "CREATE": find_create,
    "DROP": _find_drop,
    "TRUNCATE": _find_truncate,
    "RENAME": _find_rename,
    "EXCHANGE": _find_exchange,
    "UNDROP": _find_undrop,
}
