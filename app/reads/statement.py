"""What the SQL engine answers about one statement. All names are folded (see `app.words`), all lines are 1-based."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.reads.expression import Expression, Meaning

ReadKind: TypeAlias = Literal["read", "width", "position", "rebind"]
StatementKind: TypeAlias = Literal[
    "query",  # a bare SELECT: the body of a dbt model, or SQL in code
    "create_table",  # a column list, no query
    "create_view",
    "create_table_as",
    "insert",
    "merge",
    "update",
    "delete",
    "create_model",
    "ddl",  # ALTER, DROP, RENAME ...: `app.change` reads it
    "inert",  # SET, USE, GRANT, COMMENT, CREATE INDEX, transaction control ...
    "opaque",  # dynamic SQL, CALL, DO, or nothing the parser knows: `why` says what
]


class Unreadable(Exception):  # noqa: N818 - the design's word
    """The SQL could not be understood. `reason` is one sentence; `line` is 1-based where it is known."""

    def __init__(self, reason: str, *, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line

    def __reduce__(self) -> tuple[object, ...]:
        return (_unreadable, (self.reason, self.line))


def _unreadable(reason: str, line: int | None) -> Unreadable:
    return Unreadable(reason, line=line)


@dataclass(frozen=True, slots=True)
class Read:
    """One written reference. `column` "*" with kind `width`: the number of the relation's columns matters.

    `column` "*" with kind `read`: whole rows are taken as values, outside of a projection; not `certain`: some of their columns,
    not told which.
    """

    relation: str
    column: str
    clause: str
    kind: ReadKind
    certain: bool
    line: int


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column that an output is computed from; "*" where whole rows are taken as a value (or a star is not expanded).

    `placed`: by its place in a star, whatever it is called: a later branch of a UNION, a list of names over it.
    """

    relation: str
    column: str
    certain: bool = True
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """One output column, in order. Name "*": a star whose relation's columns are unknown; its source says which relation.

    `expression` is what computes it, so that two outputs with equal ones compute the same. `via_star`: stars alone lie between
    it and its table; a star over a CTE is one over what the CTE writes out.
    """

    name: str
    sources: tuple[ColumnRef, ...]
    expression: Expression
    line: int
    via_star: bool = False


@dataclass(frozen=True, slots=True)
class Rival:
    """A relation in reach of a name that means something else. Once it has a column of that name, the statement fails (`stops`:
    two tables have it, or one table would have it twice) or runs and means that column instead (`values`).

    `column` "*": any name that the other side of a NATURAL JOIN has. `outputs` are those that change, None = all.
    """

    relation: str
    column: str
    effect: Literal["stops", "values"]
    line: int
    outputs: tuple[str, ...] | None = None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement. `target` is the relation it defines or writes.

    `outputs` carry the target's column names: an INSERT with a column list has them mapped; without one `positional` is
    True and the names are the query's own. `relations` are all tables it names, CTEs left out. `meaning` is
    all that is not projection (filters, joins, grouping): a difference there changes values, not columns.
    `temporary` targets are nobody's relation. `columns` (create_table) maps column -> native type in declared order.
    `why_line`: where an opaque one stops making sense, 0 where its reason is the whole of it.
    `rivals` are what a new column would disturb. `wide` are the relations that its own stars hand on whole, once for each star;
    `starred` those under any star, also one deep inside; `unions` those of each branch of its positional set operations, where
    the branches differ. `nowhere` are names that none of the queries which they are asked of gives; they have no relation.
    """

    kind: StatementKind
    line: int
    end_line: int
    target: str | None = None
    outputs: tuple[Output, ...] = ()
    reads: tuple[Read, ...] = ()
    relations: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    positional: bool = False
    temporary: bool = False
    meaning: Meaning = ()
    why: str = ""
    why_line: int = 0
    rivals: tuple[Rival, ...] = ()
    wide: tuple[str, ...] = ()
    starred: tuple[str, ...] = ()
    unions: tuple[tuple[tuple[str, ...], ...], ...] = ()
    nowhere: tuple[Read, ...] = ()
