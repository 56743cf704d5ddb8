"""Readers that take columns by position: what they get when the order or the number of columns below them changes.

The consequence is reported where it happens: the target of an INSERT without a column list, the relation of a UNION of
stars. A name-by-name reader of a reordered relation loses nothing, so a reorder alone is no removal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.change.compare import Sources
from app.change.removal import ParsedFile, Removal
from app.change.schema import Worlds
from app.change.world import Place, RelationState
from app.reads import Statement
from app.words import Schema


@dataclass(frozen=True, slots=True)
class _Order:
    """Column names of one relation in order, at base and head; `place` is where the head's order is written."""

    base: tuple[str, ...]
    head: tuple[str, ...]
    place: Place

    @property
    def changed(self) -> bool:
        return self.base != self.head

    @property
    def moved(self) -> tuple[str, ...]:
        """Columns that both have, at another position."""
        return tuple(c for i, c in enumerate(self.head) if c in self.base and self.base.index(c) != i)


def find_position_changes(
    base: Worlds, head: Worlds, files: Sequence[ParsedFile], sources: Sources, catalog: Schema
) -> list[Removal]:
    """Consequences at positional consumers in this repository."""
    orders: dict[str, _Order | None] = {}

    def order(relation: str) -> _Order | None:
        if relation not in orders:
            orders[relation] = _order(_find(base, relation), _find(head, relation))
        return orders[relation]

    found: list[Removal] = []
    for file in files:
        for statement in file.statements:
            relations = {r: o for r in statement.relations if (o := order(r)) is not None and o.changed}
            if relations:
                found += _consequences(file, statement, relations, head, sources, catalog)
    return found


def _find(worlds: Worlds, relation: str) -> RelationState | None:
    state = worlds.definitions.relations.get(relation)
    return state if state is not None and state.declared else worlds.migrations.find(relation)


def _order(before: RelationState | None, after: RelationState | None) -> _Order | None:
    if before is None or after is None or not (before.known and after.known):
        return None
    names, old = tuple(after.columns), tuple(before.columns)
    first = next((n for i, n in enumerate(names) if i >= len(old) or old[i] != n), None)
    place = after.columns[first].place if first is not None else after.place
    return _Order(old, names, place if place.path else after.place)


def _consequences(
    file: ParsedFile,
    statement: Statement,
    relations: dict[str, _Order],
    head: Worlds,
    sources: Sources,
    catalog: Schema,
) -> Iterator[Removal]:
    star = _only_star(statement)
    if star in relations and statement.kind == "insert" and statement.positional:
        yield from _inserted(statement, relations[star], head, sources, catalog)
    elif star in relations and statement.target is None and file.kind == "other":
        yield from _taken_by_code(file, star, relations[star], sources)
    yield from _united(statement, relations, sources)


def _only_star(statement: Statement) -> str:
    """The relation whose columns pass through as they are, "" where there is more to the projection."""
    outputs = statement.outputs
    if not outputs or not all(output.via_star or output.name == "*" for output in outputs):
        return ""
    relations = {source.relation for output in outputs for source in output.sources}
    return relations.pop() if len(relations) == 1 else ""


def _inserted(
    statement: Statement, order: _Order, head: Worlds, sources: Sources, catalog: Schema
) -> Iterator[Removal]:
    target = statement.target or ""
    state = _find(head, target)
    evidence = sources.at(order.place, "head")
    names = tuple(state.columns) if state is not None and state.known else tuple(catalog.get(target, {}))
    if len(order.head) != len(order.base):
        detail = f"the INSERT by position gets {len(order.head)} columns instead of {len(order.base)}"
        yield Removal("position_changed", target, None, evidence, detail=detail)
        return
    for index, (old, new) in enumerate(zip(order.base, order.head, strict=True)):
        if old != new and index < len(names):
            detail = f"the INSERT by position fills it with {new} instead of {old}"
            yield Removal("position_changed", target, names[index], evidence, effect="values", detail=detail)
    if not names:
        yield Removal("position_changed", target, None, evidence, effect="values", certain=False, detail="by position")


def _taken_by_code(file: ParsedFile, relation: str, order: _Order, sources: Sources) -> Iterator[Removal]:
    """Code takes `SELECT *`: whether by name or by position is not read."""
    for column in order.moved:
        yield Removal(
            "position_changed",
            relation,
            column,
            sources.at(order.place, "head"),
            effect="values",
            level="warn",
            detail=f"{file.path} takes SELECT * of it, perhaps by position",
        )


def _united(statement: Statement, relations: dict[str, _Order], sources: Sources) -> Iterator[Removal]:
    """UNION of stars: the branches must keep equal widths, and columns meet by position."""
    wide = sorted({read.relation for read in statement.reads if read.kind == "width"})
    if not wide or statement.target is None:
        return
    growth = {len(relations[r].head) - len(relations[r].base) if r in relations else 0 for r in wide}
    first = next((relations[r] for r in wide if r in relations), None)
    if first is None:
        return
    evidence = sources.at(first.place, "head")
    if len(growth) > 1 or (len(wide) == 1 and growth != {0}):
        detail = "the branches of its UNION no longer have the same number of columns"
        yield Removal("position_changed", statement.target, None, evidence, detail=detail)
    elif any(relations[r].moved for r in wide if r in relations):
        detail = "the branches of its UNION meet by position, and the order of one changed"
        yield Removal("position_changed", statement.target, None, evidence, effect="values", detail=detail)
