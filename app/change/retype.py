"""A column got a type of another class: do the statements of this repository that read it still compute?

The table is in `app.change.types`. Where nobody here reads the column, or what they do with it is not in the table, the
removal stays uncertain: it then decides only for readers that the walk finds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from app.change.removal import ParsedFile, Removal
from app.change.types import Outcome, decide_expression

_PROJECTION = frozenset({"select", "projection"})


def judge_types(removals: Iterable[Removal], head: Sequence[ParsedFile]) -> list[Removal]:
    """Uncertain `type_changed` removals decided by their readers; all others as they came."""
    judged = []
    for removal in removals:
        if removal.kind == "type_changed" and not removal.certain and removal.column is not None:
            judged.append(_judge(removal, removal.column, head))
        else:
            judged.append(removal)
    return judged


def _judge(removal: Removal, column: str, head: Sequence[ParsedFile]) -> Removal:
    outcomes = set(_outcomes(removal.relation, column, removal.detail.rpartition(" -> ")[2], head))
    if "rejects" in outcomes:
        return dataclasses.replace(removal, level="block", certain=True, effect="stops")
    if outcomes == {"computes"}:
        return dataclasses.replace(removal, level="warn", certain=True)
    return removal


def _outcomes(relation: str, column: str, new: str, head: Sequence[ParsedFile]) -> Iterable[Outcome]:
    for file in head:
        for statement in file.statements:
            if relation not in statement.relations:
                continue
            for output in statement.outputs:
                if any((s.relation, s.column) == (relation, column) for s in output.sources):
                    yield decide_expression(output.expression, column, new, file.dialect)
            if any(
                (read.relation, read.column) == (relation, column) and read.clause not in _PROJECTION
                for read in statement.reads
            ):
                yield "undecided"
