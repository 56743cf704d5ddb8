"""Expressions for people: in the words of whoever wrote them, and of a change the smallest part that differs."""

from __future__ import annotations

from collections.abc import Sequence

from app.reads.expression import (
    Choice,
    Clause,
    ColumnLeaf,
    Constant,
    Expression,
    FoldedTree,
    Name,
    StarLeaf,
    find_parts,
    label_of,
)

_MOST_SHOWN = 200
_SHORT = 60  # characters


def show(tree: Expression) -> str:  # noqa: PLR0911 - one return for each kind
    """As its author wrote it; a column by its table, for an alias says nothing outside of its query."""
    match tree:
        case ColumnLeaf():
            return f"{tree.relation.rpartition('.')[2]}.{tree.column}" if tree.relation else tree.column
        case Constant():
            return f"'{tree.value}'" if tree.kind == "text" else tree.value
        case Name():
            return tree.value
        case StarLeaf():
            return ", ".join(f"{relation.rpartition('.')[2]}.*" for relation in tree.relations)
        case FoldedTree():
            return "an expression of " + ", ".join(show(column) for column in tree.args[:5])
        case Choice():
            return " | ".join(map(show, tree.args))[:_MOST_SHOWN]
        case Clause(name="from"):
            return "from " + " ".join(
                rel for arg in tree.args for rel in (arg.relations if isinstance(arg, StarLeaf) else (show(arg),))
            )
        case Clause():
            return " ".join((tree.name, ", ".join(map(show, tree.args)))).strip()[:_MOST_SHOWN]
        case _:
            return tree.text or ", ".join(filter(None, map(show, find_parts(tree))))[:_MOST_SHOWN] or label_of(tree)


def show_change(before: Sequence[Expression], after: Sequence[Expression]) -> str:
    """What differs between two lists, as small as it can be said."""
    old, new = _only_in(before, after), _only_in(after, before)
    if len(old) == len(new) == 1:
        first, second = _narrow(old[0], new[0])
        label = f"{old[0].name}: " if isinstance(old[0], Clause) and not isinstance(first, Clause) else ""
        return f"{label}{show(first)} -> {show(second)}"
    return f"{'; '.join(map(show, old))[:_MOST_SHOWN] or 'nothing'} -> {'; '.join(map(show, new))[:_MOST_SHOWN] or 'nothing'}"


def _is_short(before: Expression, after: Expression) -> bool:
    texts = show(before), show(after)
    return not isinstance(before, Clause) and max(map(len, texts)) <= _SHORT and texts[0] != texts[1]


def _only_in(first: Sequence[Expression], second: Sequence[Expression]) -> list[Expression]:
    """As multisets."""
    left = list(second)
    found = []
    for tree in first:
        if tree in left:
            left.remove(tree)
        else:
            found.append(tree)
    return found


def _narrow(before: Expression, after: Expression) -> tuple[Expression, Expression]:
    """The smallest parts that differ, if they differ in one place; more places only where the whole reads the same."""
    while type(before) is type(after) and label_of(before) == label_of(after):
        parts = find_parts(before), find_parts(after)
        old, new = _only_in(parts[0], parts[1]), _only_in(parts[1], parts[0])
        several = len(old) != 1 or len(new) != 1
        if not old or not new or (several and show(before) != show(after)):
            break
        if isinstance(old[0], Constant) and isinstance(new[0], Constant) and _is_short(before, after):
            break  # `5 -> 7` says less than `amount > 5 -> amount > 7`
        before, after = old[0], new[0]
    return before, after
