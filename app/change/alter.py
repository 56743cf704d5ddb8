"""ALTER TABLE / VIEW actions of all dialects, read from tokens.

An action that is not known to be harmless and not understood becomes `Opaque`: silence would be a false pass. `known`
harmless ones (owners, constraints, partitions, storage) are `Inert`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.change.alter_column import alter_column, change_column
from app.change.columns import find_column, find_columns, is_constraint
from app.change.cursor import Cursor
from app.change.keywords import INERT_VERBS, NO_COLUMN_TARGETS
from app.change.steps import (
    AddColumn,
    AlterValues,
    DdlStep,
    DropColumn,
    Inert,
    Opaque,
    RenameColumn,
    RenameTable,
    ReplaceColumns,
    SwapTables,
)
from app.change.tokens import Word, split_list

_VERBS = INERT_VERBS | {"ADD", "DROP", "ALTER", "MODIFY", "CHANGE", "RENAME", "SET", "SWAP", "REPLACE", "UPDATE"}
_ENDINGS = frozenset({"CASCADE", "RESTRICT", "CONSTRAINTS", "INVALIDATE", "ONLINE", "CHECKPOINT", "CASCADED"})


def find_alter(cursor: Cursor, relation: str) -> tuple[DdlStep, ...]:
    """Steps of the actions that follow the table's name."""
    steps: list[DdlStep] = []
    verb = ""
    for item in split_list(cursor.rest()):
        reader = Cursor(cursor.chunk, cursor.dialect, item)
        if reader.done:
            steps.append(_opaque(reader, "an action of the ALTER is missing"))
            continue
        if not (verb and _continues(reader, verb)):
            verb = _verb(reader)
        steps += _find_action(reader, relation, verb)
    return _untangle(relation, steps)


def _untangle(relation: str, steps: list[DdlStep]) -> tuple[DdlStep, ...]:
    """All renames of one ALTER happen at once, so that two columns can change names with each other."""
    renames = [step for step in steps if isinstance(step, RenameColumn)]
    olds = [step.old for step in renames]
    if not any(step.new in olds[place + 1 :] for place, step in enumerate(renames)):
        return tuple(steps)
    line = min(step.line for step in renames)  # steps are sorted by their lines later on
    away = [RenameColumn(relation, step.old, f"{step.old} -> {step.new}", line) for step in renames]
    back = (
        RenameColumn(relation, f"{s.old} -> {s.new}", s.new, s.line) if isinstance(s, RenameColumn) else s
        for s in steps
    )
    return (*away, *back)


def _verb(reader: Cursor) -> str:
    verb = reader.peek()
    reader.at += 1
    return "DROP COLUMN" if verb == "DROP" and reader.take_any("COLUMN", "COLUMNS") else verb


def _continues(reader: Cursor, verb: str) -> bool:
    """`DROP COLUMN a, b` and `ADD a int, b int`: the second item has no verb of its own."""
    if verb not in {"ADD", "DROP", "DROP COLUMN", "ALTER", "MODIFY", "RENAME"}:
        return False
    if reader.peek() not in _VERBS:
        return True
    return verb in {"DROP", "DROP COLUMN", "ADD"} and reader.word(1) is None  # a column that is called like a verb


def _opaque(reader: Cursor, why: str) -> Opaque:
    return Opaque(why, reader.line(), reader.chunk.text)


def _find_action(reader: Cursor, relation: str, verb: str) -> tuple[DdlStep, ...]:
    line = reader.chunk.line(reader.words[0])
    action = _ACTIONS.get(verb)
    if action is not None:
        return action(reader, relation, line)
    if verb in INERT_VERBS:
        return (Inert(f"ALTER TABLE ... {verb}", line),)
    if verb == "AS":  # ALTER VIEW v AS SELECT ...
        return (_opaque(reader, "the new query of a view is not read here"),)
    return (_opaque(reader, f"an action of the ALTER is not understood: {verb or 'no keyword'}"),)


def _swap(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    other = reader.relation() if reader.take("WITH") else None
    return (SwapTables(relation, other, line),) if other else (_opaque(reader, "SWAP without a table"),)


def _replace(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    columns = find_columns(reader, reader.group() or ()) if reader.take("COLUMNS") else None
    return (ReplaceColumns(relation, columns, line),) if columns else (_opaque(reader, "no column list"),)


def _update(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    """ClickHouse: `ALTER TABLE t UPDATE c = ...`."""
    return (AlterValues(relation, reader.name(), "UPDATE", line),)


def _clear(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    if reader.take("COLUMN"):
        return (AlterValues(relation, reader.name(), "CLEAR COLUMN", line),)
    return (Inert("ALTER TABLE ... CLEAR", line),)


def _drop(reader: Cursor, relation: str, line: int, *, column: bool = False) -> tuple[DdlStep, ...]:
    column = reader.take("COLUMN") or reader.take("COLUMNS") or column
    if not column and (reader.peek() in NO_COLUMN_TARGETS and not _stands_alone(reader)):
        return (Inert(f"DROP {reader.peek()}", line),)
    if not column and reader.dialect == "tsql" and reader.peek() != "IF":
        return (Inert("DROP of a constraint", line),)  # T-SQL: a bare DROP name drops a constraint
    if_exists = reader.take("IF", "EXISTS")
    if not column and _is_partition(reader):
        return (Inert("DROP PARTITION", line),)
    inner = reader.group() if reader.peek() == "(" else None
    names = [reader.name()] if inner is None else [_only_name(reader, item) for item in split_list(inner)]
    cascade = "CASCADE" in [word.upper for word in reader.rest()]
    if None in names or any(word.upper not in _ENDINGS for word in reader.rest()):
        return (_opaque(reader, "it is not understood which column is dropped"),)
    return tuple(DropColumn(relation, name, line, cascade, if_exists) for name in names if name is not None)


def _is_partition(reader: Cursor) -> bool:
    """`IF NOT EXISTS PARTITION (d = '1')`: Hive's and Spark's."""
    return reader.peek() == "PARTITION" and reader.peek(1) == "("


def _stands_alone(reader: Cursor) -> bool:
    """`DROP data`: a column that is called like a keyword, nothing follows it."""
    is_last = reader.word(1) is None or reader.peek(1) in {"CASCADE", "RESTRICT"}
    return is_last and reader.peek() not in {"PRIMARY", "UNUSED"}


def _only_name(reader: Cursor, item: tuple[Word, ...]) -> str | None:
    inner = Cursor(reader.chunk, reader.dialect, item)
    name = inner.name()
    return name if inner.done else None


def _add(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    column = reader.take("COLUMN") or reader.take("COLUMNS")
    if_not_exists = reader.take("IF", "NOT", "EXISTS")
    if not column and (_is_partition(reader) if if_not_exists else reader.peek() in NO_COLUMN_TARGETS):
        return (Inert(f"ADD {reader.peek()}", line),)
    if reader.peek() == "(":
        inner = reader.group()
        columns = find_columns(reader, inner) if inner is not None else None
    else:
        item = reader.rest()
        if item and is_constraint(item) and not column:
            return (Inert(f"ADD {item[0].upper}", line),)
        found = find_column(reader, item) if item else None
        columns = (found,) if found is not None else None
    if columns is None:
        return (_opaque(reader, "it is not understood which column is added"),)
    place = _place(reader)
    return tuple(AddColumn(relation, c, c.line or line, if_not_exists, place) for c in columns)


def _place(reader: Cursor) -> str | None:
    words = [word.upper for word in reader.words]
    if "AFTER" in words[1:]:
        index = words.index("AFTER", 1)
        return _only_name(reader, reader.words[index + 1 : index + 2]) if index + 1 < len(words) else None
    return "" if words and words[-1] == "FIRST" else None


def _rename(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    if reader.peek() in {"CONSTRAINT", "INDEX", "KEY", "PARTITION", "FIELD"} and reader.peek(2) == "TO":
        return (Inert(f"RENAME {reader.peek()}", line),)
    if reader.take_any("TO", "AS"):
        return _rename_relation(reader, relation, line)
    if reader.take("COLUMN") or reader.peek(1) == "TO" or reader.peek() == "IF":
        reader.take("IF", "EXISTS")
        old = reader.name()
        new = reader.name() if old and reader.take("TO") else None
        if old and new and all(word.upper in _ENDINGS for word in reader.rest()):
            return (RenameColumn(relation, old, new, line),)
        return (_opaque(reader, "it is not understood which column is renamed"),)
    if reader.dialect in {"mysql", "clickhouse"}:
        return _rename_relation(reader, relation, line)
    return (_opaque(reader, "it is not understood what is renamed"),)


def _rename_relation(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    new = reader.relation()
    if new is None or not reader.done:
        return (_opaque(reader, "the new name of the relation cannot be read"),)
    return (RenameTable(relation, beside(relation, new), line),)


def beside(relation: str, new: str) -> str:
    """A new name without a schema stays in the schema of the old one."""
    prefix, dot, _ = relation.rpartition(".")
    return new if "." in new else f"{prefix}{dot}{new}"


def _set(reader: Cursor, relation: str, line: int) -> tuple[DdlStep, ...]:
    if reader.take("UNUSED"):
        reader.take("COLUMN")
        return _drop(reader, relation, line, column=True)
    if reader.take("SCHEMA"):
        schema = reader.relation()
        name = relation.rpartition(".")[2]
        return (RenameTable(relation, f"{schema}.{name}", line),) if schema else (_opaque(reader, "no schema"),)
    if reader.take("LOCATION"):
        return (AlterValues(relation, None, "the data of another location", line),)
    return (Inert(f"ALTER TABLE ... SET {reader.peek()}", line),)


_ACTIONS: dict[str, Callable[[Cursor, str, int], tuple[DdlStep, ...]]] = {
    "DROP": _drop,
    "DROP COLUMN": partial(_drop, column=True),
    "ADD": _add,
    "ALTER": partial(alter_column, verb="ALTER"),
    "MODIFY": partial(alter_column, verb="MODIFY"),
    "CHANGE": change_column,
    "RENAME": _rename,
    "SET": _set,
    "SWAP": _swap,
    "REPLACE": _replace,
    "UPDATE": _update,
    "CLEAR": _clear,
}
