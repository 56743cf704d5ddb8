"""Files in order -> a World: DDL applied step by step over the catalog's schema, queries giving views their columns.

Migrations and definitions are replayed apart (`definitional`): a definition runs again and again, so an INSERT in it tells
what computes a column, and making its table anew loses nothing; in a migration the same statements happen once.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.change import steps as ddl
from app.change.column_steps import (
    add_column,
    alter_type,
    drop_column,
    move_column,
    rename_column,
    replace_columns,
    set_rule,
    set_visible,
    update,
)
from app.change.define import define_columns, fill_columns, find_definers
from app.change.ledger import Ledger, Views, unknown_relation
from app.change.relation_steps import (
    below,
    create_table,
    create_view,
    drop,
    drop_schema,
    fresh,
    make,
    rename_table,
    swap,
)
from app.change.removal import ParsedFile
from app.change.world import RelationKind, RelationState, World
from app.reads import Statement
from app.words import Schema


def replay(files: Iterable[ParsedFile], catalog: Schema, views: Views, *, definitional: bool) -> World:
    """Apply the files in the order given."""
    ledger = Ledger(catalog, views, definitional=definitional)
    for file in files:
        _apply(ledger, file)
    return World(ledger.relations, ledger.gone, catalog, ledger.fallen, tuple(ledger.retyped))


def _apply(ledger: Ledger, file: ParsedFile) -> None:
    ledger.file = file
    ledger.temporary = set()  # they end with the session that made them
    pairs, rest = find_definers(file)
    if file.relation is not None and file.unknowns and not rest:
        unread = RelationState(file.relation, ledger.place(1), file.relation, "model", known=False, unread=True)
        ledger.relations[file.relation] = unread
    events: list[tuple[int, int, ddl.DdlStep | Statement]] = []
    for index, step in enumerate(file.steps):
        if isinstance(step, ddl.DdlStep):
            events.append((step.line, index, step))
    events += [(statement.line, len(file.steps) + i, statement) for i, statement in enumerate(rest)]
    for _, index, event in sorted(events, key=lambda e: e[:2]):
        if isinstance(event, Statement):
            _apply_statement(ledger, event)
        else:
            _apply_step(ledger, event, pairs.get(index))


def _apply_step(  # noqa: C901, PLR0912 - one case for each member of the union
    ledger: Ledger, step: ddl.DdlStep, statement: Statement | None
) -> None:
    if _is_temporary(ledger, step):
        return
    match step:
        case ddl.CreateTable():
            create_table(ledger, step, statement)
        case ddl.CreateView():
            create_view(ledger, step, statement)
        case ddl.DropTable() | ddl.DropView():
            drop(ledger, step.relation, ledger.place(step.line), cascade=step.cascade, quiet=step.if_exists)
        case ddl.DropSchema():
            drop_schema(ledger, step)
        case ddl.RenameSchema():
            for name in below(ledger, step.old):
                rename_table(ledger, name, step.new + name[len(step.old) :], ledger.place(step.line))
        case ddl.RenameTable():
            rename_table(ledger, step.old, step.new, ledger.place(step.line))
        case ddl.SwapTables():
            swap(ledger, step)
        case ddl.Truncate():
            if not ledger.definitional:  # a script that fills its table anew begins so each time
                ledger.clear(step.relation, "the table is emptied", ledger.place(step.line))
        case ddl.Routine() | ddl.Inert() | ddl.Opaque():
            pass  # what they may do is told by their texts, see app.change.routines and app.change.unread
        case _:
            _apply_column_step(ledger, step)


def _is_temporary(ledger: Ledger, step: ddl.DdlStep) -> bool:
    """The step makes, changes or drops a temporary relation: nobody else ever sees it."""
    if isinstance(step, ddl.CreateTable | ddl.CreateView) and step.temporary:
        ledger.temporary.add(step.relation)
        return True
    relation = getattr(step, "relation", None)
    if relation not in ledger.temporary:
        return False
    if isinstance(step, ddl.DropTable | ddl.DropView):
        ledger.temporary.discard(step.relation)
    return True


def _apply_column_step(  # noqa: C901, PLR0912 - one case for each member of the union
    ledger: Ledger, step: ddl.ColumnStep
) -> None:
    place = ledger.place(step.line)
    match step:
        case ddl.DropColumn():
            drop_column(ledger, step, place)
        case ddl.AddColumn():
            add_column(ledger, step, place)
        case ddl.RenameColumn():
            rename_column(ledger, step, place)
        case ddl.ReplaceColumns():
            replace_columns(ledger, step.relation, step.columns, place)
        case ddl.AlterType():
            alter_type(ledger, step, place)
        case ddl.SetDefault():
            set_rule(ledger, step.relation, step.column, place, default=step.default)
        case ddl.DropDefault():
            set_rule(ledger, step.relation, step.column, place, default="")
        case ddl.SetNotNull():
            set_rule(ledger, step.relation, step.column, place, not_null=True)
        case ddl.DropNotNull():
            set_rule(ledger, step.relation, step.column, place, not_null=False)
        case ddl.MoveColumn():
            move_column(ledger, step, place)
        case ddl.SetVisible():
            set_visible(ledger, step, place)
        case ddl.AlterValues():
            if step.column is not None:
                update(ledger, step.relation, {step.column: f"{step.what} at this step"}, place)
            else:
                ledger.clear(step.relation, step.what, place)


def _apply_statement(ledger: Ledger, statement: Statement) -> None:
    target = statement.target
    if target is None or statement.temporary or target in ledger.temporary:
        return
    place = ledger.place(statement.line)
    match statement.kind:
        case "insert" | "merge" | "update":
            state = ledger.find(target) or unknown_relation(target, place)
            ledger.relations[target] = fill_columns(
                state, statement, place, ledger.find, definitional=ledger.definitional
            )
        case "query" | "create_model" | "create_view" | "create_table_as" | "create_table":
            kind: RelationKind = "model" if statement.kind == "query" else "view"
            kind = "table" if statement.kind in {"create_table", "create_table_as"} else kind
            state = fresh(ledger, target, place, kind, statement)
            make(
                ledger,
                ledger.find(target),
                define_columns(state, None, statement, None, ledger.find),
                place,
                replaced=False,
            )
        case "delete":
            ledger.clear(target, "rows are deleted", place, statement.meaning)
        case _:
            pass  # the rest defines nothing
