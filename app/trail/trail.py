"""Values of the walk: who reads what, by which witness, and which model stands at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.change import FeatureTable, Removal
from app.reads import Statement
from app.words import Evidence, Repo, Side, Unknown

Witness: TypeAlias = Literal[
    "sql",  # visible SQL reads it: proven
    "inferred",  # an edge tagged tether:inferred / confirmed, with its evidence
    "declared",  # a fine-grained edge somebody declared in the catalog
    "relationship",  # feature -> model -> deployment: no column is involved
    "config",  # .tether.yml says so
]
#: what happens to a reader: its statement fails, or it runs and computes something else
Effect: TypeAlias = Literal["stops", "values"]


@dataclass(frozen=True, slots=True)
class Reader:
    """One statement of the org's SQL, and where it stands. `source` are the lines of its file (for evidence texts).

    `side` is "catalog" for the text of a view that only the catalog holds. `new`: its file came with the change, and was
    written with all that the change adds in sight.
    """

    repo: Repo
    commit: str
    path: str
    dialect: str
    statement: Statement
    source: tuple[str, ...] = ()
    side: Side = "base"
    new: bool = False

    def evidence(self, line: int) -> Evidence:
        text = self.source[line - 1].strip() if 0 < line <= len(self.source) else ""
        side = "catalog" if self.in_catalog else self.side
        return Evidence(self.path, line, text, side, self.repo.full_name, self.commit)

    @property
    def in_catalog(self) -> bool:
        """The text of a view in the catalog: visible SQL for verdicts, no evidence for writing."""
        return self.side == "catalog" or self.repo.full_name == "catalog"


@dataclass(frozen=True, slots=True)
class OpaqueFile:
    """A file that was seen and not understood. `words` are the identifiers in it, comments stripped, folded to lower case.

    `by_place`: last names of relations that it takes or fills without naming their columns, "" for one that is not told.
    `has_hole`: the name of a table is completed by something else than the text.
    """

    repo: Repo
    path: str
    why: str
    words: frozenset[str]
    has_star: bool = False
    line: int | None = None
    relation: str | None = None  # the relation it owns, when that is known (a dbt model that could not be rendered)
    whole: bool = True  # False: `words` are not all that it may name
    absent: bool = False  # its text is not here at all, so that it may name anything
    by_place: frozenset[str] = frozenset()
    has_hole: bool = False

    @property
    def in_catalog(self) -> bool:
        """The text of a view in the catalog."""
        return self.repo.full_name == "catalog"


@dataclass(frozen=True, slots=True)
class SqlIndex:
    """All SQL that Tether sees, the pull request's changes laid over it; and the feature views that code declares."""

    readers: tuple[Reader, ...] = ()
    opaque: tuple[OpaqueFile, ...] = ()
    views: tuple[FeatureTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a trail: `urn` (or the relation's name while it has none) and the column lost there."""

    urn: str
    column: str | None
    witness: Witness
    evidence: tuple[Evidence, ...] = ()
    note: str = ""  # what a person should know of this hop beyond its lines


@dataclass(frozen=True, slots=True)
class Trail:
    """From one removal to one feature and, where there is one, one model. Steps in order, removal's dataset first.

    `effect` is what happens at the end: the feature's statement stops, or its values change.
    """

    removal: Removal
    steps: tuple[Step, ...]
    effect: Effect
    feature: str | None = None
    model: str | None = None
    deployments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingEdge:
    """SQL proves that `feature` (or dataset column) reads these upstream columns and the graph does not say so."""

    upstream: str
    downstream: str
    columns: tuple[str, ...]
    reader: Reader
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A place where the walk could not tell whether a removal goes on, with models behind it that may serve.

    `rule` is the id of the judge's rule. `models` are () where nothing can be followed. A removal that may at most warn
    makes no unknown of it: it stays a question.
    """

    rule: str
    removal: Removal
    unknown: Unknown
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Walk:
    """`wanted` are urns whose neighbours the walk needs and the graph has not: fetch, extend, walk again until empty.

    `guesses` are those of `wanted` that are mere names: their aspects are of no use unless something points at them.
    `unknowns` decide the verdict; `questions` say for each of them which rule and which removal it belongs to, and hold
    those as well that decide nothing because their removal may only warn. `unbound`: consumed features of which nobody can
    tell the table; known once nothing is wanted. `contradicted` are declared edges that visible
    SQL denies (text, evidence). `dashboards` are information. `notes` go to the completeness statement.
    """

    trails: tuple[Trail, ...] = ()
    wanted: frozenset[str] = frozenset()
    unknowns: tuple[Unknown, ...] = ()
    contradicted: tuple[tuple[str, Evidence | None, Removal], ...] = ()
    dashboards: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    entities: int = 0
    questions: tuple[OpenQuestion, ...] = ()
    guesses: frozenset[str] = frozenset()
    unbound: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Serving:
    """`state` by the first rule that decided; `rule` names it. unknown: nothing decided; unread: what might decide was not
    read, which no policy can settle."""

    state: Literal["serving", "not_serving", "retired", "unknown", "unread"]
    rule: str
