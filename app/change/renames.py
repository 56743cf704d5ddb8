"""What the change renames, applied to the expressions of the base: a reader that follows a rename computes the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.change.removal import Removal
from app.change.world import ColumnState
from app.reads import ColumnLeaf, Expression, Meaning, StarLeaf, change_clauses, change_leaves


@dataclass(frozen=True, slots=True)
class Renames:
    """`columns`: (relation, old) -> new; `relations`: old -> new."""

    columns: Mapping[tuple[str, str], str] = field(default_factory=dict)
    relations: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(removals: Iterable[Removal]) -> Renames:
        columns: dict[tuple[str, str], str] = {}
        relations: dict[str, str] = {}
        for removal in removals:
            if removal.new_name and removal.column is not None:
                columns[removal.relation, removal.column] = removal.new_name
            elif removal.new_name:
                relations[removal.relation] = removal.new_name
        return Renames(columns, relations)

    def __bool__(self) -> bool:
        return bool(self.columns or self.relations)

    def apply(self, column: ColumnState) -> ColumnState:
        """The column as it would read after the renames of what it is computed from."""
        if not self or not column.expressions:
            return column
        sources = frozenset(self._source(*source) for source in column.sources)
        expressions = tuple(change_leaves(tree, self._leaf) for tree in column.expressions)
        return dataclasses.replace(column, expressions=expressions, sources=sources)

    def apply_rows(self, rows: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
        """Filters and joins after the renames."""
        return tuple(change_clauses(meaning, self._leaf) for meaning in rows)

    def _leaf(self, tree: ColumnLeaf | StarLeaf) -> Expression:
        if isinstance(tree, StarLeaf):
            return StarLeaf(tuple(self.relations.get(relation, relation) for relation in tree.relations))
        return ColumnLeaf(*self._source(tree.relation, tree.column), tree.line)

    def _source(self, relation: str, column: str) -> tuple[str, str]:
        return self.relations.get(relation, relation), self.columns.get((relation, column), column)
