"""Columns that a relation has anew: harmless to all but those who count columns, or to whom the new name means another one.

What came through a star is not said here: the walk follows a new column through stars by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from app.change.removal import Marks, Removal
from app.change.schema import Worlds
from app.change.sources import Sources
from app.change.world import RelationState
from app.words import Schema

#: kinds after which the relation has one column less, whatever stands at its place
_LOSES = frozenset({"column_dropped", "column_hidden", "column_renamed", "output_removed", "output_renamed"})


def find_additions(base: Worlds, head: Worlds, sources: Sources, catalog: Schema) -> tuple[Removal, ...]:
    """`column_added` for every column that the relation had not, renamed ones as well, in the order of the names."""
    return tuple(
        Removal("column_added", after.name, name, sources.at(after.columns[name].place, "head"))
        for before, after in _pairs(base, head, catalog)
        for name in _new_names(before, after, catalog)
    )


def find_marks(
    base: Worlds, head: Worlds, removals: Iterable[Removal], added: Iterable[Removal], catalog: Schema
) -> Mapping[str, Marks]:
    """Where columns went and came, for each relation that has another number of them or others at these places.

    A mark is the column's place, counted in its own tree, or its name where the relation's columns are not known.
    """
    found: dict[str, set[tuple[str, str]]] = {}
    states = {before.name: (before, after) for before, after in _pairs(base, head, catalog)}
    renamed = {(r.relation, r.new_name): r.column for r in removals if r.kind in _LOSES and r.new_name and r.column}
    for removal in removals:
        if removal.kind in _LOSES and removal.column and not removal.new_name and removal.effect == "stops":
            before = states.get(removal.relation, (None, None))[0]
            found.setdefault(removal.relation, set()).add(("-", _place(before, removal.column)))
    for removal in added:
        if removal.column and (removal.relation, removal.column) not in renamed:
            after = states.get(removal.relation, (None, None))[1]
            found.setdefault(removal.relation, set()).add(("+", _place(after, removal.column)))
    return {relation: tuple(sorted(marks)) for relation, marks in found.items()}


def _place(state: RelationState | None, column: str) -> str:
    if state is None or not state.known or column not in state.columns:
        return column
    return str(list(state.columns).index(column))


def _pairs(base: Worlds, head: Worlds, catalog: Schema) -> Iterator[tuple[RelationState, RelationState]]:
    """What stands under one name in both trees."""
    for name in sorted({*head.definitions.relations, *head.migrations.relations}):
        before, after = _find(base, name), _find(head, name)
        if after is None or after.unread:
            continue
        if before is None and name not in catalog:
            continue  # made by this change: nobody reads it yet, or nobody knows it
        if before is not None:
            yield before, after


def _find(worlds: Worlds, relation: str) -> RelationState | None:
    state = worlds.definitions.relations.get(relation)
    return state if state is not None and state.declared else worlds.migrations.find(relation)


def _new_names(before: RelationState, after: RelationState, catalog: Schema) -> Iterator[str]:
    known = before.columns.keys() | (catalog.get(before.name, {}).keys() if not before.known else set())
    for name, column in after.columns.items():
        if (
            name not in known
            and not column.via_star
            and name != "*"
            and (before.known or before.star_of == after.star_of)
        ):
            yield name
