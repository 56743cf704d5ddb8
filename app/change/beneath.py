"""What a relation's columns and rows come from, through the queries beneath it down to what is stored: two trees that compute
the same are cut into models differently (one was inlined, one was taken out of a query), and compute the same nevertheless.

As with a CTE, the way from one query into the next leaves no trace. Followed only where one query makes a relation whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from app.change.world import ColumnState, RelationState
from app.reads import Clause, ColumnLeaf, Expression, Meaning, StarLeaf, change_leaves, fold_large

Find: TypeAlias = Callable[[str], RelationState | None]


class Beneath:
    """One side's definitions. `find` gives what makes a relation there."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._columns: dict[tuple[str, str], Expression] = {}
        self._rows: dict[str, Meaning | None] = {}

    def column(self, column: ColumnState) -> tuple[Expression, ...]:
        """What computes it from stored columns."""
        return tuple(change_leaves(tree, self._leaf) for tree in column.expressions)

    def rows(self, state: RelationState) -> list[frozenset[Clause]]:
        """What bears on its rows, all that bears on those beneath included."""
        return [frozenset(self._clauses(meaning)) for meaning in state.meaning]

    def _leaf(self, leaf: ColumnLeaf | StarLeaf) -> Expression:
        if isinstance(leaf, StarLeaf):
            return StarLeaf(tuple(dict.fromkeys(table for name in leaf.relations for table in self._tables(name))))
        key = (leaf.relation, leaf.column)
        if key not in self._columns:
            self._columns[key] = leaf  # a model that reads itself
            state = self._made_by_query(leaf.relation)
            column = state.columns.get(leaf.column) if state is not None else None
            if column is not None and len(column.expressions) == 1:
                self._columns[key] = fold_large(change_leaves(column.expressions[0], self._leaf))
        return self._columns[key]

    def _tables(self, relation: str) -> Iterable[str]:
        rows = self._rows_of(relation)
        if rows is None:
            return (relation,)
        clauses = [arg for clause in rows if clause.name == "from" for arg in clause.args]
        return [table for arg in clauses if isinstance(arg, StarLeaf) for table in arg.relations]

    def _clauses(self, meaning: Meaning) -> Iterable[Clause]:
        for clause in meaning:
            match clause:
                case Clause("from", (StarLeaf((relation,)),)) if (rows := self._rows_of(relation)) is not None:
                    yield from rows
                case _:
                    yield Clause(clause.name, tuple(change_leaves(arg, self._leaf) for arg in clause.args))

    def _rows_of(self, relation: str) -> Meaning | None:
        """None: it is stored, or nobody knows what makes it."""
        if relation not in self._rows:
            self._rows[relation] = None
            state = self._made_by_query(relation)
            self._rows[relation] = (
                None
                if state is None
                else tuple(clause for meaning in state.meaning for clause in self._clauses(meaning))
            )
        return self._rows[relation]

    def _made_by_query(self, relation: str) -> RelationState | None:
        state = self._find(relation)
        if state is None or not state.declared or not state.known or state.unread or state.open_fill or state.cleared:
            return None
        whole = len(state.meaning) <= 1 and state.incremental is None
        return state if whole and all(len(c.expressions) == 1 for c in state.columns.values()) else None
