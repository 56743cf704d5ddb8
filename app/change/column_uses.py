"""What is done with a column in an expression: the calls around each mention of it, past those that hand its type on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.change.infer import PASSING
from app.reads import Call, CaseWhen, Cast, Clause, ColumnLeaf, Expression, FoldedTree, Subquery, find_parts

#: clauses that want a condition
_LABELS: Final = frozenset({"where", "having", "qualify", "when", "on"})
_HANDING_ON: Final = PASSING - {"nullif"}


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of a column: the innermost call around it that does something, and the place of the column in it.

    `beside` are the call's other arguments. `passed`: nothing does anything to it, or no more than hand its type on; then
    `condition` tells that a condition is wanted where it stands.
    """

    name: str = ""
    beside: tuple[Expression, ...] = ()
    place: int = 0
    condition: bool = False
    passed: bool = False


def find_uses(tree: Expression, column: str, names: frozenset[str] | None = None) -> Iterator[Use]:
    """Every mention of the column. `names`: its relation as the tree has it; None: any relation, or none known."""
    stack: list[tuple[Expression, tuple[tuple[Expression, int], ...]]] = [(tree, ())]
    while stack:
        current, around = stack.pop()
        if isinstance(current, ColumnLeaf):
            if current.column.strip('"').lower() == column.strip('"').lower() and (
                names is None or not current.relation or current.relation in names
            ):
                yield _find_use(around)
        else:
            parts = find_parts(current)
            stack += [(parts[n], (*around, (current, n))) for n in reversed(range(len(parts)))]


def _find_use(around: tuple[tuple[Expression, int], ...]) -> Use:
    """From the inside to the outside, past what hands the type on."""
    name = ""
    for parent, place in reversed(around):
        match parent:
            case CaseWhen() if (use := _use_in_case(parent, place)) is not None:
                return use
            case Clause():
                return Use(name, condition=parent.name in _LABELS or parent.name.endswith("join"), passed=True)
            case Call() if parent.name in _HANDING_ON and not (place and parent.name in {"filter", "window"}):
                name = name or parent.name
            case Call():
                beside = tuple(arg for n, arg in enumerate(parent.args) if n != place)
                return Use(parent.name, beside, place, condition=parent.name in {"filter", "where"})
            case Cast() | FoldedTree() | Subquery():
                return Use("cast" if isinstance(parent, Cast) else "unknown")
    return Use(name, passed=True)


def _use_in_case(case: CaseWhen, place: int) -> Use | None:
    """None: its only value, which is the value of the whole."""
    values = [*range(1, len(case.args), 2), *([len(case.args) - 1] if len(case.args) % 2 else [])]
    if place not in values:
        return Use("if", condition=True)
    beside = tuple(case.args[n] for n in values if n != place)
    return Use("branch", beside, place) if beside else None
