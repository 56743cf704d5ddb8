"""Canonical texts of expressions (`app.reads.Output.expression`, lines of `Statement.meaning`) -> what is done with a column.

The texts are function calls over traced names: `avg(raw.t.c)`, `gt(raw.t.c, 5)`, `where raw.t.c`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_PART = re.compile(r"'(?:[^']|'')*'|[\w$.\"]+|[(),]")
#: what stands around a column without doing anything to its value
_TRANSPARENT = frozenset({"", "distinct", "ordered", "filter", "window", "paren"})
#: functions whose result has the type of their argument: what is done with the result counts
_PASSING = frozenset({"min", "max", "anyvalue", "first", "last", "lag", "lead"})
#: how a line of a statement's meaning begins
_LABELS = frozenset({"where", "having", "qualify", "when", "on"})
_MOST_PARTS = 20_000


@dataclass(slots=True)
class Call:
    """`arguments` are texts of the arguments that are no calls themselves, names and literals."""

    name: str
    arguments: list[str] = field(default_factory=list)
    place: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of a column: the innermost call around it that does something ("" where there is none). A value of a CASE is a
    `branch`, beside it the other plain values.

    `beside` are the plain arguments of that call, `place` is where in it the column stands, from 0. `condition`: it stands
    bare where a condition is wanted. `classes` are those of the types beside it, where whoever asks knows them.
    """

    name: str
    beside: tuple[str, ...] = ()
    place: int = 0
    condition: bool = False
    classes: frozenset[str] = frozenset()


def find_uses(text: str, column: str, names: frozenset[str] | None = None) -> Iterator[Use]:
    """Every mention of the column. `names`: its relation as the text writes it; None: any relation, or none written."""
    parts = [match.group() for match in _PART.finditer(text)][:_MOST_PARTS]
    calls: list[Call] = []
    found: list[tuple[list[tuple[Call, int]], str]] = []
    for index, part in enumerate(parts):
        if part == "(":
            calls.append(Call(parts[index - 1] if index and parts[index - 1] not in "()," else ""))
        elif part == ")":
            del calls[-1:]
        elif part == ",":
            for call in calls[-1:]:
                call.place += 1
        elif index + 1 == len(parts) or parts[index + 1] != "(":
            for call in calls[-1:]:
                call.arguments.append(part)
            if _is_column(part, column, names):
                found.append(([(call, call.place) for call in calls], "" if calls else parts[0]))
    return (_use(around, label) for around, label in found)


def _use(around: list[tuple[Call, int]], label: str) -> Use:
    passed = ""
    branch = False
    for call, place in reversed(around):
        if call.name in _PASSING:
            passed = passed or call.name
        elif call.name == "case" and branch:
            return Use("branch", tuple(call.arguments), place)
        elif call.name == "if" and place and len(around) > 1:
            branch = True
        elif call.name not in _TRANSPARENT:
            return Use(call.name, tuple(call.arguments), place)
    return Use(passed, condition=not around and label in _LABELS)


def _is_column(part: str, column: str, names: frozenset[str] | None) -> bool:
    relation, _, name = part.rpartition(".")
    if part.startswith("'") or name.strip('"').lower() != column.strip('"').lower():
        return False
    return names is None or not relation or relation in names


def is_bare(text: str, column: str, names: frozenset[str]) -> bool:
    """The expression is the column and nothing else."""
    return "(" not in text and _is_column(text, column, names)
