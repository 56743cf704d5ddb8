"""Whether those who count columns still agree: branches of a UNION, an INSERT and its table. All relations of the change at once.

Two that lose or gain columns at the same places keep the same number, so nothing breaks though each alone would break it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.change import Marks
from app.reads import Statement

#: fill what an INSERT leaves out at the end with defaults, and give no name to columns behind a list of names
LENIENT: Final = frozenset({"postgres", "redshift", "materialize", "risingwave"})
#: take a list of names that is shorter than the columns under it (a CTE, a view); DuckDB, executed
SHORT_LISTS: Final = LENIENT | {"duckdb"}


@dataclass(frozen=True, slots=True)
class Counts:
    """What the change does to the numbers of columns that one statement compares.

    `uneven`: branches of a UNION no longer agree. `source` and `target` are the marks of what an INSERT takes and of the table
    that it fills. `grown`: the relation of the loss has columns that it had not. `dialect` is the statement's own.
    """

    uneven: bool = True
    source: Marks = ()
    target: Marks = ()
    grown: bool = False
    dialect: str = ""

    @property
    def fits(self) -> bool:
        """The INSERT's rows and its table changed alike."""
        return bool(self.source) and self.source == self.target


#: nothing is known of other changes than the one
ALONE: Final = Counts()


@dataclass(frozen=True, slots=True)
class Widths:
    """`own`: node -> marks of the change itself. `wide`: node -> the nodes whose columns its building stars hand on."""

    own: Mapping[str, Marks]
    wide: Callable[[str], Sequence[str]]
    _known: dict[str, Marks] = field(default_factory=dict, compare=False, repr=False)

    def of(self, node: str) -> Marks:
        """The node's own marks and those that come through stars; a circle of views adds nothing."""
        if node not in self._known:
            self._known[node] = self.own.get(node, ())
            self._known[node] = (*self._known[node], *self.of_all(self.wide(node)))
        return self._known[node]

    def of_all(self, nodes: Sequence[str]) -> Marks:
        return tuple(mark for node in nodes for mark in self.of(node))

    def count(self, statement: Statement, node: str, find_node: Callable[[str], str], dialect: str) -> Counts:
        """For a loss of `node`."""

        def marks(names: Sequence[str]) -> Marks:
            return self.of_all([find_node(name) for name in names])

        uneven = any(len({marks(branch) for branch in union}) > 1 for union in statement.unions)
        target = self.of(find_node(statement.target)) if statement.target else ()
        grown = any(sign == "+" for sign, _ in self.of(node))
        return Counts(uneven, marks(statement.wide), target, grown, dialect)
