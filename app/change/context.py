"""Lines that belong to a removal besides the one that makes it: where its columns stood, where they went, which macro changed.

They prove nothing more; they save whoever reads the finding the search.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.change.removal import Removal
from app.change.schema import Worlds
from app.change.sources import Sources
from app.change.world import ColumnState, RelationState, World
from app.words import Evidence

_OF_COLUMNS = frozenset({"column_dropped", "output_removed"})
_OF_RELATIONS = frozenset({"relation_dropped", "relation_renamed", "definition_deleted"})
_MOST_LINES = 4

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Context:
    """Both trees at their end, and the texts of their files, also of those that are no SQL by themselves (macros)."""

    before: Worlds
    after: Worlds
    sources: Sources
    base_texts: Texts
    head_texts: Texts
    changed: frozenset[str]

    def add(self, removals: Iterable[Removal]) -> tuple[Removal, ...]:
        """The same removals with the lines that belong to them."""
        moves = self._find_moves()
        edited = self._find_edited()
        return tuple(self._add(removal, moves, edited) for removal in removals)

    def _add(self, removal: Removal, moves: dict[object, Evidence], edited: dict[str, list[Evidence]]) -> Removal:
        if removal.kind in _OF_RELATIONS:
            return dataclasses.replace(removal, columns=tuple(self._columns(removal.relation)))
        if removal.column is None:
            return removal
        related = dict.fromkeys(self._of_templates(removal, edited))
        column = self._base_column(removal.relation, removal.column)
        moved = moves.get(_key(column)) if removal.kind in _OF_COLUMNS and not removal.new_name and column else None
        if moved is not None:
            related[moved] = None
        return dataclasses.replace(removal, related=tuple(related)) if related else removal

    # --- where the columns of a lost relation stood -------------------------------------------------------------------

    def _columns(self, relation: str) -> Iterator[tuple[str, Evidence]]:
        for world in (self.before.definitions, self.before.migrations):
            state = world.relations.get(relation)
            if state is not None:
                for name, column in state.columns.items():
                    if column.place.path:
                        yield name, self.sources.at(column.place, "base")
                return

    def _base_column(self, relation: str, column: str) -> ColumnState | None:
        for world in (self.before.definitions, self.before.migrations):
            state = world.relations.get(relation)
            if state is not None and column in state.columns:
                return state.columns[column]
        return None

    # --- where a lost column went -------------------------------------------------------------------------------------

    def _find_moves(self) -> dict[object, Evidence]:
        """Columns that only the head has, by name and by what computes them or whose values they hold."""
        found: dict[object, Evidence] = {}
        for world, old in ((self.after.definitions, self.before), (self.after.migrations, self.before)):
            for state in world.relations.values():
                if state is None:
                    continue
                for column in state.columns.values():
                    if not _has(old, state, column.name) and (key := _key(column)) is not None:
                        found.setdefault(key, self.sources.at(column.place, "head"))
        return found

    # --- which macro changed ------------------------------------------------------------------------------------------

    def _find_edited(self) -> dict[str, list[Evidence]]:
        """Changed files that are no SQL by themselves -> their lines that went, else those that came."""
        found: dict[str, list[Evidence]] = {}
        for path in self.changed:
            if path in self.sources.base or path in self.sources.head:
                continue
            base, head = (texts.get(path, "").splitlines() for texts in (self.base_texts, self.head_texts))
            gone = Counter(base) - Counter(head)
            came = Counter(head) - Counter(base)
            found[path] = [Evidence(path, n, text.strip(), "base") for n, text in enumerate(base, 1) if gone[text] > 0]
            found[path] += [Evidence(path, n, text.strip(), "head") for n, text in enumerate(head, 1) if came[text] > 0]
        return found

    def _of_templates(self, removal: Removal, edited: dict[str, list[Evidence]]) -> list[Evidence]:
        """For a file that nobody touched: lines of changed macros that name the column."""
        path = removal.evidence.path
        if self.base_texts.get(path) != self.head_texts.get(path) or not edited:
            return []
        word = re.compile(rf"(?<![\w$]){re.escape((removal.column or '').strip(chr(34)))}(?![\w$])", re.IGNORECASE)
        lines = [line for path in sorted(edited) for line in edited[path]]
        named = [line for line in lines if word.search(line.text)]
        return (named or lines)[:_MOST_LINES]


def _has(worlds: Worlds, state: RelationState, column: str) -> bool:
    def there(world: World) -> bool:
        old = world.relations.get(state.name)
        return old is not None and column in old.columns

    return there(worlds.definitions) or there(worlds.migrations)


def _key(column: ColumnState | None) -> object:
    """What a column is, wherever it stands: its name and what computes it; a stored one by whose values it holds."""
    if column is None:
        return None
    if column.expressions:
        return (column.name, column.expressions, column.sources)
    return None
