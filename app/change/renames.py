"""What the change renames, applied to the canonical texts of the base: a reader that follows a rename computes the same."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.change.removal import Removal
from app.change.world import ColumnState


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
        if sources == column.sources:
            return column
        expressions = column.expressions
        for relation, name in sorted(column.sources):
            new_relation, new_name = self._source(relation, name)
            if (new_relation, new_name) != (relation, name):
                expressions = tuple(
                    _replace(_replace(text, f"{relation}.{name}", f"{new_relation}.{new_name}"), name, new_name)
                    for text in expressions
                )
        return dataclasses.replace(column, expressions=expressions, sources=sources)

    def apply_texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Filters and joins after the renames."""
        for (relation, old), new in sorted(self.columns.items()):
            texts = tuple(_replace(text, f"{relation}.{old}", f"{relation}.{new}") for text in texts)
        for old, new in sorted(self.relations.items()):
            texts = tuple(_replace(text, old, new) for text in texts)
        return texts

    def _source(self, relation: str, column: str) -> tuple[str, str]:
        return self.relations.get(relation, relation), self.columns.get((relation, column), column)


def _replace(text: str, old: str, new: str) -> str:
    """Whole names only: `tax` does not stand in `tax_rate`, nor in `other.tax`."""
    if old == new:
        return text
    return re.sub(rf'(?<![\w."$]){re.escape(old)}(?![\w"$(])', lambda _: new, text)
