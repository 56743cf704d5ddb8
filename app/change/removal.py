"""What the change takes away, as values; and a file as the SQL engine understood it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from app.reads import Statement
from app.render import RefState
from app.words import Evidence, Schema, Unknown

RemovalKind: TypeAlias = Literal[
    "column_dropped",
    "column_renamed",
    "relation_dropped",
    "relation_renamed",
    "output_removed",  # an output column left the definition of its relation
    "output_renamed",
    "definition_deleted",
    "type_changed",
    "values_lost",  # dropped and added again without a back-fill
    "position_changed",
    "view_invalidated",
    "meaning_changed",
    "column_hidden",  # invisible: it stays for those who name it, and leaves every star
    "writer_is_unread",  # what writes the relation changed, and nobody reads it: any of its columns may go
    "column_added",  # takes nothing away by itself: its name may mean something else to a reader
]
#: where columns of a relation went ("-") and came ("+"): for those who count them
Marks: TypeAlias = tuple[tuple[str, str], ...]
#: stops: the name is gone, a statement that writes it fails. values: it still runs and computes something else.
Effect: TypeAlias = Literal["stops", "values"]
FileKind: TypeAlias = Literal["migration", "definition", "other"]


@dataclass(frozen=True, slots=True)
class Removal:
    """`column` None: the whole relation. `level` is the most a proven reader may make of it (block or warn).

    `new_type` (`type_changed` to another class of type): each reader has to be asked whether it takes it (`decide_reader`).
    `columns`: where the base gave the columns of a relation that goes. `related` are lines that belong to the removal
    besides `evidence`: where the column went, which macro changed. `at_end` (`position_changed`): columns came behind all
    others and nothing else moved, which only those notice who count them.
    """

    kind: RemovalKind
    relation: str
    column: str | None
    evidence: Evidence
    effect: Effect = "stops"
    level: Literal["block", "warn"] = "block"
    certain: bool = True
    new_name: str | None = None
    detail: str = ""
    new_type: str = ""
    columns: tuple[tuple[str, Evidence], ...] = ()
    related: tuple[Evidence, ...] = ()
    at_end: bool = False

    @property
    def moves_order(self) -> bool:
        """The relation's columns stand in another order. Not so where a UNION's branch exchanges two of them."""
        return self.kind == "position_changed" and (self.column is None or self.level == "warn")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One source file, parsed in a child process. Lines in `statements` and `steps` are lines of the source file.

    `steps` are the DDL steps (app.change.ddl.DdlStep) in order, down parts left out. `unknowns` say what in this file
    could not be understood; whether that matters is for the caller to decide. `source` are the file's own lines.
    `revision` and `follows` order migrations whose names do not (Alembic), `includes` those that a changelog names (Liquibase).
    `variants` are the ways in which a template may
    come out that nobody can decide: then the file itself is unread.
    `templated`: a model, snapshot or seed, which a tool builds by itself; `materialized` and `on_schema_change` are its
    configuration (None: plain SQL, or not set); `refs` as in SqlText.
    """

    path: str
    kind: FileKind
    dialect: str
    source: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    steps: tuple[object, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    relation: str | None = None
    templated: bool = False
    materialized: str | None = None
    on_schema_change: str | None = None
    revision: str = ""
    follows: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    refs: tuple[tuple[str, RefState], ...] = ()
    variants: tuple[ParsedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A query that builds no relation. `path`: its file, which `.tether.yml` may map features to.

    `view` is the Feast view whose features its `columns` are, else the name of the file, which may be that of a feature's
    table (`certain` False).
    """

    path: str
    view: str
    columns: tuple[str, ...] = ()
    certain: bool = False


@dataclass(frozen=True, slots=True)
class RemovalReport:
    """All that the change takes away. `unknowns` are changed SQL that could not be judged: each makes the PR unassessable.

    `base_schema` / `head_schema`: known columns of every relation that the trees define, laid over the catalog's.
    `added` are columns that a relation has anew: no removals, but the walk looks for readers to whom the name means another.
    `marks`: where the columns of relations went and came. `queries` are those that lose something and build no relation, by
    the name that stands for one in their removals.
    `created` are relations that need no dataset, so never `relation_is_unknown`: those that only the head defines, or that no
    warehouse has (dbt's ephemeral ones). `files` are the SQL-relevant changed paths.
    """

    removals: tuple[Removal, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    base_schema: Schema = field(default_factory=dict)
    head_schema: Schema = field(default_factory=dict)
    created: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, Query] = field(default_factory=dict)
    added: tuple[Removal, ...] = ()
    marks: Mapping[str, Marks] = field(default_factory=dict)
