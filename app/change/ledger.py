"""The book that a replay writes in: which relation stands under which name now, and what went when.

Entries only: `app.change.relation_steps` and `app.change.column_steps` know what each DDL step means for it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from app.change.removal import ParsedFile
from app.change.world import ColumnState, Gone, Place, RelationState, Retyped, catalog_state
from app.reads import Clause, Meaning, Statement, show
from app.words import Schema

#: view -> the statements that define it somewhere in the tree: what a CASCADE takes along
Views = Mapping[str, Sequence[Statement]]


class Ledger:
    """Mutable while one tree is replayed, in one function; the World made from it is not."""

    def __init__(self, catalog: Schema, views: Views, *, definitional: bool) -> None:
        self.catalog = catalog
        self.views = views
        self.definitional = definitional
        self.relations: dict[str, RelationState | None] = {}
        self.gone: dict[tuple[str, str | None], Gone] = {}
        self.fallen: dict[str, Place] = {}
        self.retyped: list[Retyped] = []
        self.vacated: Counter[str] = Counter()
        self.given_up: Counter[tuple[str, str]] = Counter()
        self.former: dict[str, set[str]] = {}
        self.temporary: set[str] = set()
        self.file = ParsedFile("", "other", "")

    def find(self, relation: str) -> RelationState | None:
        if relation in self.relations:
            return self.relations[relation]
        return catalog_state(relation, self.catalog)

    def place(self, line: int) -> Place:
        return Place(self.file.path, line)

    def occupy(self, state: RelationState, place: Place) -> None:
        """A relation stands under this name now: the columns that stood there before are gone, or others of their name."""
        self.relations[state.name] = state
        self.fallen.pop(state.name, None)
        for column in self.former.pop(state.name, set()):
            self.gone[state.name, column] = Gone(state.name, column, place)

    def vacate(self, relation: str, place: Place, *, new_name: str | None = None) -> None:
        state = self.find(relation)
        self.gone[relation, None] = Gone(relation, None, place, new_name, blind=state is None)
        self.vacated[relation] += 1
        if state is not None:
            self.former.setdefault(relation, set()).update(state.columns)
        self.relations[relation] = None

    def put_columns(self, state: RelationState, columns: dict[str, ColumnState]) -> None:
        self.relations[state.name] = dataclasses.replace(state, columns=columns)

    def give_up(self, state: RelationState, column: str, place: Place, new_name: str | None = None) -> None:
        self.given_up[state.owner, column] += 1
        self.gone[state.name, column] = Gone(state.name, column, place, new_name)

    def fall(self, relation: str, column: str | None, place: Place) -> None:
        """CASCADE: every view that names what goes, and every view above it."""
        for view, statements in self.views.items():
            if view == relation or view in self.fallen:
                continue
            if any(_names(statement, relation, column) for statement in statements):
                self.fallen[view] = place
                self.fall(view, None, place)

    def clear(self, relation: str, what: str, place: Place, clauses: Meaning = ()) -> None:
        """Rows are deleted: once by a migration, again and again by a definition."""
        state = self.find(relation)
        if state is None:
            return
        if self.definitional:
            meaning = (*state.meaning, (Clause(what), *clauses))
            self.relations[relation] = dataclasses.replace(state, meaning=meaning, paths=state.paths | {place.path})
        else:
            said = ", ".join((what, *map(show, clauses)))
            self.relations[relation] = dataclasses.replace(state, cleared=(*state.cleared, (said, place)))


def unknown_relation(relation: str, place: Place) -> RelationState:
    """A relation that steps speak of and nobody has declared."""
    return RelationState(relation, place, relation, known=False, declared=False)


def _names(statement: Statement, relation: str, column: str | None) -> bool:
    if relation not in statement.relations:
        return False
    if column is None or any(output.name == "*" for output in statement.outputs):
        return True
    sources = {(source.relation, source.column) for output in statement.outputs for source in output.sources}
    return (relation, column) in sources | {(read.relation, read.column) for read in statement.reads}
