"""One thing that a DDL statement does, as a value: the alphabet of the replay (`app.change.replay`).

Relations and columns are folded; `line` is 1-based. `Opaque` is a statement that may take something away and could not be
read: it is never dropped on the way. `Inert` is one that was recognised and takes nothing away. DML is deliberately absent:
`app.reads` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column. `type` is the native type as written ("" where none is), `default` the written expression.

    `generated` is the expression that a generated or virtual column is computed by.
    """

    name: str
    type: str = ""
    not_null: bool = False
    default: str = ""
    line: int = 0
    generated: str = ""


@dataclass(frozen=True, slots=True)
class CreateTable:
    """`replace`: an existing table goes first. `keep`: an existing table is altered to these columns (CREATE OR ALTER).

    `known` is False where the columns come from a query (the statement's outputs tell them); `like` names the relation
    whose columns it copies, `clone` True when the rows come along.
    """

    relation: str
    line: int
    columns: tuple[Column, ...] = ()
    replace: bool = False
    if_not_exists: bool = False
    temporary: bool = False
    keep: bool = False
    query: bool = False
    like: str | None = None
    clone: bool = False


@dataclass(frozen=True, slots=True)
class CreateView:
    relation: str
    line: int
    columns: tuple[str, ...] = ()
    replace: bool = False
    if_not_exists: bool = False
    temporary: bool = False
    materialized: bool = False


@dataclass(frozen=True, slots=True)
class DropTable:
    relation: str
    line: int
    cascade: bool = False
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropView:
    relation: str
    line: int
    cascade: bool = False
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropSchema:
    """A schema or a database: every relation below `schema` (a dotted prefix) goes."""

    schema: str
    line: int
    cascade: bool = False
    database: bool = False


@dataclass(frozen=True, slots=True)
class RenameSchema:
    old: str
    new: str
    line: int


@dataclass(frozen=True, slots=True)
class DropColumn:
    relation: str
    column: str
    line: int
    cascade: bool = False
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddColumn:
    """`after` is the column before it, "" for first, None for last (the usual place)."""

    relation: str
    column: Column
    line: int
    if_not_exists: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class RenameColumn:
    relation: str
    old: str
    new: str
    line: int


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Also a view, also a move into another schema."""

    old: str
    new: str
    line: int


@dataclass(frozen=True, slots=True)
class SwapTables:
    first: str
    second: str
    line: int


@dataclass(frozen=True, slots=True)
class AlterType:
    relation: str
    column: str
    type: str
    line: int


@dataclass(frozen=True, slots=True)
class SetDefault:
    relation: str
    column: str
    default: str
    line: int


@dataclass(frozen=True, slots=True)
class DropDefault:
    relation: str
    column: str
    line: int


@dataclass(frozen=True, slots=True)
class SetNotNull:
    relation: str
    column: str
    line: int


@dataclass(frozen=True, slots=True)
class DropNotNull:
    relation: str
    column: str
    line: int


@dataclass(frozen=True, slots=True)
class SetVisible:
    """Oracle and MySQL: an invisible column stays, and no star hands it on."""

    relation: str
    column: str
    visible: bool
    line: int


@dataclass(frozen=True, slots=True)
class MoveColumn:
    """The column stands elsewhere: behind the column `after`, "" for first."""

    relation: str
    column: str
    after: str
    line: int


@dataclass(frozen=True, slots=True)
class ReplaceColumns:
    """Hive and Spark: the column list becomes exactly this one, the files below stay."""

    relation: str
    columns: tuple[Column, ...]
    line: int


@dataclass(frozen=True, slots=True)
class AlterValues:
    """Same column, other values for whoever reads it (a masking policy, an update in place)."""

    relation: str
    column: str | None
    what: str
    line: int


@dataclass(frozen=True, slots=True)
class Truncate:
    relation: str
    line: int


@dataclass(frozen=True, slots=True)
class Routine:
    """A function, procedure, trigger, task or policy is made, or dropped. Its body is text: `app.change.routines`.

    A trigger names the table that it stands on (`relation`) and the function that it calls.
    """

    kind: str
    name: str
    line: int
    dropped: bool = False
    relation: str | None = None
    function: str = ""
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Inert:
    what: str
    line: int


@dataclass(frozen=True, slots=True)
class Opaque:
    """`text` is the statement with white space squeezed: equal texts at base and head changed nothing."""

    why: str
    line: int
    text: str = ""


DdlStep: TypeAlias = (
    CreateTable
    | CreateView
    | DropTable
    | DropView
    | DropSchema
    | RenameSchema
    | DropColumn
    | AddColumn
    | RenameColumn
    | RenameTable
    | SwapTables
    | AlterType
    | SetDefault
    | DropDefault
    | SetNotNull
    | DropNotNull
    | SetVisible
    | MoveColumn
    | ReplaceColumns
    | AlterValues
    | Truncate
    | Routine
    | Inert
    | Opaque
)
ColumnStep: TypeAlias = (
    DropColumn
    | AddColumn
    | RenameColumn
    | AlterType
    | SetDefault
    | DropDefault
    | SetNotNull
    | DropNotNull
    | SetVisible
    | MoveColumn
    | ReplaceColumns
    | AlterValues
)
