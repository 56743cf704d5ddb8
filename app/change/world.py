"""What the files say exists: relations with their columns, after all steps have been applied in order.

Values only. `app.change.replay` makes them, `app.change.compare` sets two of them side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from app.reads import Expression, Meaning
from app.words import Schema

#: which stored values a column holds: the table they were written to, the column's first name, and how often that name
#: had been given up before. A rename keeps it, DROP and ADD make a new one.
Identity: TypeAlias = tuple[str, str, int]
RelationKind: TypeAlias = Literal["table", "view", "model"]


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class ColumnState:
    """`expressions`: what computes it (empty: stored). `fills`: whose values were copied into it -> unchanged?

    `updates` are one-off UPDATEs of it, `updated` the last one's place.
    `vacated` counts how often its name was given up in its relation. `generated`: the expression of a generated column.
    `hidden`: no star hands it on.
    """

    name: str
    identity: Identity
    place: Place
    type: str = ""
    not_null: bool = False
    default: str = ""
    expressions: tuple[Expression, ...] = ()
    sources: frozenset[tuple[str, str]] = frozenset()
    via_star: bool = False
    fills: dict[Identity, bool] = field(default_factory=dict)
    updates: tuple[Expression, ...] = ()
    updated: Place | None = None
    vacated: int = 0
    generated: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class RelationState:
    """`known`: the list of columns is whole. `declared`: a file says so (not only the catalog). `owner`: its identity.

    `paths` are the files that make it. `unread`: one of them could not be read. `cleared` are the statements that deleted
    rows once, `vacated` counts how often its name was given up. `open_fill`: a statement
    fills columns of it, and it is not known which.
    """

    name: str
    place: Place
    owner: str
    kind: RelationKind = "table"
    columns: dict[str, ColumnState] = field(default_factory=dict)
    known: bool = True
    declared: bool = True
    star_of: frozenset[str] = frozenset()
    stars: tuple[Expression, ...] = ()
    meaning: tuple[Meaning, ...] = ()
    cleared: tuple[tuple[str, Place], ...] = ()
    vacated: int = 0
    incremental: str | None = None
    dialect: str = ""
    unread: bool = False
    paths: frozenset[str] = frozenset()
    open_fill: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """The statement that took a relation (`column` None) or a column away. `blind`: nothing was known to be there."""

    relation: str
    column: str | None
    place: Place
    new_name: str | None = None
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Retyped:
    """An ALTER TYPE of a column whose type before is not known."""

    relation: str
    column: str
    type: str
    place: Place


@dataclass(frozen=True, slots=True)
class World:
    """`relations` are those that files speak of (None: taken away); `find` falls back to the catalog's.

    `fallen`: views that a CASCADE took along and nobody made again, with the statement that did it.
    """

    relations: dict[str, RelationState | None]
    gone: dict[tuple[str, str | None], Gone]
    catalog: Schema
    fallen: dict[str, Place] = field(default_factory=dict)
    retyped: tuple[Retyped, ...] = ()

    def find(self, relation: str) -> RelationState | None:
        if relation in self.relations:
            return self.relations[relation]
        return catalog_state(relation, self.catalog)


def catalog_state(relation: str, catalog: Schema) -> RelationState | None:
    """The relation as the catalog knows it, None where it does not."""
    columns = catalog.get(relation)
    if columns is None:
        return None
    nowhere = Place("", 0)
    states = {c: ColumnState(c, (relation, c, 0), nowhere, type=native) for c, native in columns.items()}
    return RelationState(relation, nowhere, relation, columns=states, known=bool(states), declared=False)
