"""A column that is still there: does it hold what it held? Stored values, type, expression, nullability, default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from app.change.removal import Effect, RemovalKind
from app.change.types import find_change
from app.change.world import ColumnState, Place, RelationState
from app.reads import Choice, Expression, show, show_change


@dataclass(frozen=True, slots=True)
class ValueChange:
    """`place` stands in the head. `column` None: all of the relation's rows."""

    kind: RemovalKind
    column: str | None
    place: Place
    detail: str
    level: Literal["block", "warn"] = "warn"
    effect: Effect = "values"
    certain: bool = True
    new_type: str = ""


def find_value_changes(
    base: RelationState, before: ColumnState, head: RelationState, after: ColumnState
) -> Iterator[ValueChange]:
    """All that changed in one column between base and head."""
    lost = find_loss(base, before, head, after) or _find_takeover(base, before, head, after)
    lost = lost or _find_exchange(base, before, head, after)
    if lost is not None:
        yield lost
    retyped = _find_retype(before, after, head.dialect or base.dialect)
    if retyped is not None:
        yield retyped
    elif lost is None and _computes_otherwise(before, after):
        yield ValueChange(
            "meaning_changed", after.name, after.place, show_change(before.expressions, after.expressions)
        )
    if lost is None:
        yield from _find_rules(before, after)


def _text(expressions: Iterable[Expression]) -> str:
    return "; ".join(map(show, expressions))[:200]


def find_loss(base: RelationState, before: ColumnState, head: RelationState, after: ColumnState) -> ValueChange | None:
    """The name stood empty in between: values survive only where they were copied before the drop."""
    stored = not after.expressions and base.kind == head.kind == "table"
    given_up = head.vacated > base.vacated or after.vacated > before.vacated
    if not stored or before.identity == after.identity or not given_up:
        return None
    unchanged = after.fills.get(before.identity)
    if unchanged is None:
        return ValueChange(
            "values_lost", after.name, after.place, "dropped and made again without its values", level="block"
        )
    if unchanged and (after.generated or before.identity[0] != after.identity[0]):
        return None  # all values are there as they are: copied into a table that took over the name, or generated
    detail = (
        "dropped and made again, values copied back" if unchanged else "dropped and made again, values computed anew"
    )
    return ValueChange("values_lost", after.name, after.place, detail)


def _find_takeover(
    base: RelationState, before: ColumnState, head: RelationState, after: ColumnState
) -> ValueChange | None:
    """A query now makes what was stored: the same values only where they come from the old column unchanged."""
    taken = base.declared or head.vacated > base.vacated
    if before.expressions or before.via_star or not after.expressions or not taken or base.kind != "table":
        return None
    unchanged = after.fills.get(before.identity)
    if unchanged:
        return None
    if unchanged is None and not after.sources:
        detail = f"its values are replaced by {_text(after.expressions)}"
        return ValueChange("values_lost", after.name, after.place, detail, level="block")
    return ValueChange("meaning_changed", after.name, after.place, f"stored values -> {_text(after.expressions)}")


def _find_exchange(
    base: RelationState, before: ColumnState, head: RelationState, after: ColumnState
) -> ValueChange | None:
    """A branch of a UNION gives two columns in each other's place: values of both mix."""
    given, taken = _options(before) - _options(after), _options(after) - _options(before)
    for name, other in base.columns.items() if given and taken else ():
        now = head.columns.get(name)
        if name == before.name or now is None:
            continue
        moved = given & (_options(now) - _options(other))
        if moved and taken & (_options(other) - _options(now)):
            detail = f"a branch of its UNION gives {_text(moved)} as {name}, and {_text(taken)} in its place"
            return ValueChange("position_changed", after.name, after.place, detail, level="block")
    return None


def _options(column: ColumnState) -> set[Expression]:
    """What the branches of a UNION give."""
    return {option for tree in column.expressions if isinstance(tree, Choice) for option in tree.args}


def _find_retype(before: ColumnState, after: ColumnState, dialect: str) -> ValueChange | None:
    if not before.type or not after.type:
        return None
    detail = f"{before.type} -> {after.type}"
    match find_change(before.type, after.type, dialect):
        case "same" | "widening":
            return None
        case "shift":
            return ValueChange("type_changed", after.name, after.place, detail)
        case "class":
            return ValueChange(
                "type_changed", after.name, after.place, detail, "block", certain=False, new_type=after.type
            )


def _computes_otherwise(before: ColumnState, after: ColumnState) -> bool:
    if not before.expressions or not after.expressions or (before.via_star and after.via_star):
        return False
    return Counter(before.expressions) != Counter(after.expressions) or (
        bool(before.sources) and bool(after.sources) and before.sources != after.sources
    )


def _find_rules(before: ColumnState, after: ColumnState) -> Iterator[ValueChange]:
    if before.not_null and not after.not_null:
        yield ValueChange("meaning_changed", after.name, after.place, "NOT NULL is gone: NULL becomes possible")
    if before.default and before.default != after.default:
        gone = "is gone" if not after.default else f"-> {after.default}"
        yield ValueChange("meaning_changed", after.name, after.place, f"DEFAULT {before.default} {gone}")
    extra = Counter(after.updates) - Counter(before.updates)
    if extra and before.identity == after.identity:
        place = after.updated or after.place
        yield ValueChange("meaning_changed", after.name, place, f"changed in place: {_text(extra)}")


def has_same_rows(first: RelationState, second: RelationState) -> bool:
    """The clauses of one statement have no order."""
    return [frozenset(meaning) for meaning in first.meaning] == [frozenset(meaning) for meaning in second.meaning]


def find_row_changes(base: RelationState, head: RelationState) -> Iterator[ValueChange]:
    """Changes that touch every column: other filters, joins or grouping, or a table that was emptied."""
    computed = any(c.expressions for c in base.columns.values()) and any(c.expressions for c in head.columns.values())
    if computed and not has_same_rows(base, head):
        old, new = ([clause for meaning in state.meaning for clause in meaning] for state in (base, head))
        yield ValueChange("meaning_changed", None, head.place, f"rows: {show_change(old, new)}")
    known = Counter(what for what, _ in base.cleared)
    for what, place in head.cleared:
        if known[what] > 0:
            known[what] -= 1
        else:
            yield ValueChange("meaning_changed", None, place, what)
