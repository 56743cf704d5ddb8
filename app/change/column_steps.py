"""What ALTER TABLE does to single columns, entered into the ledger. A column nobody knew is taken away `blind`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from app.change import steps as ddl
from app.change.define import update_columns
from app.change.ledger import Ledger, unknown_relation
from app.change.world import ColumnState, Gone, Identity, Place, RelationState, Retyped
from app.reads import Name, find_words


def drop_column(ledger: Ledger, step: ddl.DropColumn, place: Place) -> None:
    if step.cascade:
        ledger.fall(step.relation, step.column, place)
    state = ledger.find(step.relation)
    if state is None or step.column not in state.columns:
        if state is None or not (step.if_exists and state.known):
            ledger.gone[step.relation, step.column] = Gone(step.relation, step.column, place, blind=True)
        return
    going = {step.column, *_find_generated(state, step.column)}
    for column in sorted(going):
        ledger.give_up(state, column, place)
    ledger.put_columns(state, {name: c for name, c in state.columns.items() if name not in going})


def _find_generated(state: RelationState, column: str) -> set[str]:
    """Columns computed from this one, and from those: they go along (CASCADE), or no query of them works any more."""
    found: set[str] = set()
    wanted = [column]
    while wanted:
        word = wanted.pop().strip('"').lower()
        for name, other in state.columns.items():
            if name not in found and other.generated and word in find_words(other.generated, language="sql")[0]:
                found.add(name)
                wanted.append(name)
    return found


def rename_column(ledger: Ledger, step: ddl.RenameColumn, place: Place) -> None:
    state = ledger.find(step.relation)
    if state is None or step.old not in state.columns:
        if state is None or step.new not in state.columns:
            ledger.gone[step.relation, step.old] = Gone(step.relation, step.old, place, step.new, blind=True)
        return
    ledger.give_up(state, step.old, place, step.new)
    columns = {}
    for name, column in state.columns.items():
        if name == step.old:
            count = ledger.given_up[state.owner, step.new]
            columns[step.new] = dataclasses.replace(column, name=step.new, place=place, vacated=count)
        elif name != step.new:
            columns[name] = column
    ledger.put_columns(state, columns)


def add_column(ledger: Ledger, step: ddl.AddColumn, place: Place) -> None:
    state = ledger.find(step.relation) or unknown_relation(step.relation, place)
    if step.column.name in state.columns:
        return
    count = ledger.given_up[state.owner, step.column.name]
    column = _column(state.owner, step.column, place, count)
    if column.generated:
        column = dataclasses.replace(column, fills=_find_generating(state, column.generated))
    ledger.put_columns(state, _insert(state, column, step.after))


def _find_generating(state: RelationState, expression: str) -> dict[Identity, bool]:
    """Whose values a generated column goes on giving, and whether as they are: then it is that column by another name."""
    words, _ = find_words(expression, language="sql")
    plain = expression.strip('()[]`" \n').lower()
    fills: dict[Identity, bool] = {}
    for name, column in state.columns.items():
        bare = name.strip('"').lower()
        if bare in words:
            fills |= {
                identity: known and bare == plain for identity, known in {column.identity: True, **column.fills}.items()
            }
    return fills


def _insert(state: RelationState, column: ColumnState, after: str | None) -> dict[str, ColumnState]:
    items = [(name, c) for name, c in state.columns.items() if name != column.name]
    index = len(items)
    if after == "":
        index = 0
    elif after is not None:
        index = next((i + 1 for i, (name, _) in enumerate(items) if name == after), len(items))
    items.insert(index, (column.name, column))
    return dict(items)


def move_column(ledger: Ledger, step: ddl.MoveColumn, place: Place) -> None:
    """Only its place is another, which those notice who take columns by position."""
    state = ledger.find(step.relation)
    column = state.columns.get(step.column) if state is not None else None
    if state is not None and column is not None:
        ledger.put_columns(state, _insert(state, dataclasses.replace(column, place=place), step.after))


def replace_columns(ledger: Ledger, relation: str, columns: Sequence[ddl.Column], place: Place) -> None:
    state = ledger.find(relation) or unknown_relation(relation, place)
    kept: dict[str, ColumnState] = {}
    for column in columns:
        old = state.columns.get(column.name)
        fresh = _column(state.owner, column, place, ledger.given_up[state.owner, column.name])
        kept[column.name] = fresh if old is None else dataclasses.replace(fresh, identity=old.identity)
    for name in state.columns:
        if name not in kept:
            ledger.give_up(state, name, place)
    ledger.put_columns(dataclasses.replace(state, known=True), kept)


def alter_type(ledger: Ledger, step: ddl.AlterType, place: Place) -> None:
    state = ledger.find(step.relation)
    column = state.columns.get(step.column) if state is not None else None
    if column is None or not column.type:
        ledger.retyped.append(Retyped(step.relation, step.column, step.type, place))
    if state is not None and column is not None:
        changed = dataclasses.replace(column, type=step.type, place=place)
        ledger.put_columns(state, {**state.columns, step.column: changed})


def set_rule(
    ledger: Ledger, relation: str, name: str, place: Place, *, default: str | None = None, not_null: bool | None = None
) -> None:
    state = ledger.find(relation)
    column = state.columns.get(name) if state is not None else None
    if state is None or column is None:
        return
    changed = dataclasses.replace(
        column,
        place=place,
        default=column.default if default is None else default,
        not_null=column.not_null if not_null is None else not_null,
    )
    if not state.declared and (default == "" or not_null is False):  # the catalog tells neither of them
        what = "DEFAULT dropped" if default == "" else "NOT NULL dropped"
        changed = dataclasses.replace(changed, updates=(*changed.updates, Name(what)), updated=place)
    ledger.put_columns(state, {**state.columns, name: changed})


def set_visible(ledger: Ledger, step: ddl.SetVisible, place: Place) -> None:
    state = ledger.find(step.relation)
    column = state.columns.get(step.column) if state is not None else None
    if state is None or column is None:
        state = state or unknown_relation(step.relation, place)
        column = ColumnState(step.column, (state.owner, step.column, 0), place)
    changed = dataclasses.replace(column, hidden=not step.visible, place=place)
    ledger.put_columns(state, {**state.columns, step.column: changed})


def update(ledger: Ledger, relation: str, values: Mapping[str, str], place: Place) -> None:
    state = ledger.find(relation)
    if state is not None:
        ledger.relations[relation] = update_columns(state, values, place)


def _column(owner: str, column: ddl.Column, place: Place, vacated: int) -> ColumnState:
    return ColumnState(
        column.name,
        (owner, column.name, vacated),
        place,
        type=column.type,
        not_null=column.not_null,
        default=column.default,
        vacated=vacated,
        generated=column.generated,
    )
