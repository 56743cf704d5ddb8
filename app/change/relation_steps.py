"""CREATE, DROP, RENAME and SWAP of whole relations, entered into the ledger."""

from __future__ import annotations

import dataclasses

from app.change import steps as ddl
from app.change.column_steps import replace_columns
from app.change.define import define_columns
from app.change.ledger import Ledger, unknown_relation
from app.change.world import Gone, Place, RelationKind, RelationState
from app.reads import Statement


def create_table(ledger: Ledger, step: ddl.CreateTable, statement: Statement | None) -> None:
    place = ledger.place(step.line)
    old = ledger.find(step.relation)
    if old is not None and old.declared and step.if_not_exists:
        return
    if step.keep and old is not None:
        replace_columns(ledger, step.relation, step.columns, place)
        return
    state = fresh(ledger, step.relation, place, "table", statement)
    like = ledger.find(step.like) if step.like is not None else None
    state = define_columns(state, step, statement, like, ledger.find)
    make(ledger, old, state, place, replaced=step.replace)


def create_view(ledger: Ledger, step: ddl.CreateView, statement: Statement | None) -> None:
    place = ledger.place(step.line)
    old = ledger.find(step.relation)
    if old is not None and old.declared and step.if_not_exists:
        return
    state = fresh(ledger, step.relation, place, "view", statement)
    make(ledger, old, define_columns(state, step, statement, None, ledger.find), place, replaced=False)


def fresh(
    ledger: Ledger, relation: str, place: Place, kind: RelationKind, statement: Statement | None
) -> RelationState:
    return RelationState(
        relation,
        place,
        relation,
        kind,
        meaning=(statement.meaning,) if statement is not None and statement.meaning else (),
        incremental=incremental(ledger),
        dialect=ledger.file.dialect,
        paths=frozenset({place.path}),
    )


def incremental(ledger: Ledger) -> str | None:
    if ledger.file.materialized != "incremental":
        return None
    return ledger.file.on_schema_change or "on_schema_change is not set"


def make(ledger: Ledger, old: RelationState | None, state: RelationState, place: Place, *, replaced: bool) -> None:
    if old is not None:
        if old.declared:
            ledger.former.setdefault(state.name, set()).update(old.columns)
        if replaced and not ledger.definitional:
            ledger.vacated[state.name] += 1
    count = ledger.vacated[state.name]
    owner = f"{state.name}#{count}" if count and not ledger.definitional else state.name
    ledger.occupy(_own(state, owner, count), place)


def drop(ledger: Ledger, relation: str, place: Place, *, cascade: bool, quiet: bool = False) -> None:
    state = ledger.find(relation)
    if cascade:
        ledger.fall(relation, None, place)
    if state is None and quiet and relation not in ledger.catalog:
        return
    ledger.vacate(relation, place)


def below(ledger: Ledger, schema: str) -> list[str]:
    names = {*ledger.relations, *ledger.catalog}
    return sorted(name for name in names if name.startswith(f"{schema}.") and ledger.find(name) is not None)


def drop_schema(ledger: Ledger, step: ddl.DropSchema) -> None:
    place = ledger.place(step.line)
    names = below(ledger, step.schema)
    for name in names:
        drop(ledger, name, place, cascade=step.cascade)
    if not names:
        ledger.gone[step.schema, None] = Gone(step.schema, None, place, blind=True)


def rename_table(ledger: Ledger, old: str, new: str, place: Place) -> None:
    state = ledger.find(old)
    if state is None:
        if old not in ledger.relations and ledger.find(new) is not None:
            return  # the catalog knows it under its new name already
        ledger.gone[old, None] = Gone(old, None, place, new, blind=True)
        return
    ledger.vacate(old, place, new_name=new)
    ledger.occupy(dataclasses.replace(state, name=new, vacated=ledger.vacated[new]), place)


def swap(ledger: Ledger, step: ddl.SwapTables) -> None:
    place = ledger.place(step.line)
    first, second = ledger.find(step.first), ledger.find(step.second)
    for name, state in ((step.first, second), (step.second, first)):
        ledger.former.setdefault(name, set()).update((ledger.find(name) or unknown_relation(name, place)).columns)
        ledger.vacated[name] += 1
        taken = state or unknown_relation(name, place)
        ledger.occupy(dataclasses.replace(taken, name=name, vacated=ledger.vacated[name]), place)


def _own(state: RelationState, owner: str, vacated: int) -> RelationState:
    columns = {
        name: dataclasses.replace(column, identity=(owner, *column.identity[1:]))
        for name, column in state.columns.items()
    }
    return dataclasses.replace(state, owner=owner, columns=columns, vacated=vacated)
