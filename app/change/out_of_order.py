"""Migrations whose number stands before one that ran long ago: a database gets their columns behind those that it has.

Only a new database runs them in the order of their numbers, and then no other migration may care: none behind them names the
column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.change.order import order_migrations
from app.change.removal import ParsedFile
from app.change.steps import AddColumn
from app.reads import find_words

#: (relation, column)
Added = tuple[str, str]


def find_late(base: Sequence[ParsedFile], head: Sequence[ParsedFile]) -> frozenset[Added]:
    """Columns that such migrations put behind the last one."""
    old = {file.path for file in base if file.kind == "migration"}
    if old >= {file.path for file in head if file.kind == "migration"}:
        return frozenset()
    return frozenset(_find(old, order_migrations(file for file in head if file.kind == "migration")))


def _find(old: set[str], ordered: Sequence[ParsedFile]) -> Iterator[Added]:
    for place, file in enumerate(ordered):
        added = [step for step in file.steps if isinstance(step, AddColumn) and step.after is None]
        behind = ordered[place + 1 :]
        if not added or file.path in old or not any(other.path in old for other in behind):
            continue
        named = frozenset[str]().union(*(find_words("\n".join(one.source), language="sql")[0] for one in behind))
        yield from ((step.relation, step.column.name) for step in added if _last(step.column.name) not in named)


def _last(column: str) -> str:
    return column.strip('"').lower()
