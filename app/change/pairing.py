"""What became of a lost column or relation: renamed, or moved away. By stored values first, then by what computes it."""

from __future__ import annotations

from collections import Counter

from app.change.world import ColumnState, RelationState, World


def find_renamed_column(base: RelationState, head: RelationState, column: ColumnState) -> ColumnState | None:
    """The head's new column that holds the same values; else has the same expression; else the same place and sources."""
    new = [c for name, c in head.columns.items() if name not in base.columns]
    for candidate in new:
        if candidate.identity == column.identity:
            return candidate
    if not column.expressions:
        return None
    for candidate in new:
        if Counter(candidate.expressions) == Counter(column.expressions):
            return candidate
    names, head_names = list(base.columns), list(head.columns)
    index = names.index(column.name) if column.name in base.columns else len(head_names)
    at_place = head.columns[head_names[index]] if index < len(head_names) else None
    if at_place in new and at_place is not None and column.sources and at_place.sources == column.sources:
        return at_place
    return None


def find_renamed_relation(lost: RelationState, base: World, head: World) -> RelationState | None:
    """The head's new relation that is this table, or is defined by the same query."""
    new = [s for name, s in head.relations.items() if s is not None and s.declared and base.find(name) is None]
    for candidate in new:
        if candidate.owner == lost.owner and lost.kind == candidate.kind == "table":
            return candidate
    own = _signature(lost)
    if not any(column.expressions for column in lost.columns.values()):
        return None
    return next((candidate for candidate in new if _signature(candidate) == own), None)


def _signature(state: RelationState) -> tuple[object, ...]:
    columns = tuple((name, column.expressions, column.sources) for name, column in state.columns.items())
    return (columns, [frozenset(meaning) for meaning in state.meaning], state.star_of)
