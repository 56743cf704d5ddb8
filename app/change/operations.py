"""What a migration that is not SQL does, in a form that the rest of the room understands: steps, and pieces of SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.change.steps import Column, DdlStep, Opaque
from app.reads import fold


@dataclass(frozen=True, slots=True)
class SqlPiece:
    """Constant SQL inside of another language, from line `line` to line `end`."""

    sql: str
    line: int
    end: int


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a Django model. `column` is its database column, "" where it has none (many to many).

    `fixed`: the field names its column itself (db_column). `suffix`: what Django puts behind the name (`_id`). `text` is
    the definition as written.
    """

    name: str
    column: str
    definition: Column
    text: str
    fixed: bool = False
    suffix: str = ""
    key: bool = False

    @property
    def type(self) -> str:
        return self.definition.type


@dataclass(frozen=True, slots=True)
class ModelStep:
    """A Django operation. `relation` is the model's table unless another one was told (`app.change.model_tables`)."""

    action: Literal["create", "delete", "rename", "table", "add", "remove", "rename_field", "alter"]
    relation: str
    line: int
    table: str | None = None
    fields: tuple[Field, ...] = ()
    name: str = ""
    new: str = ""


Operation: TypeAlias = DdlStep | ModelStep | SqlPiece


@dataclass(frozen=True, slots=True)
class Operations:
    """`revision` and `follows` order Alembic's files: () for the first one. `includes` order Liquibase's: paths as written, those
    beside the changelog with `./` before them, a folder with `/` behind it."""

    operations: tuple[Operation, ...] = ()
    revision: str = ""
    follows: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


def fold_written(name: str, dialect: str, *, upper_is_plain: bool = False) -> str:
    """A name as these tools write it to the database: quoted where it is not all lower case.

    `upper_is_plain`: a name all in upper case is written without quotes as well (Liquibase).
    """
    return ".".join(_fold_part(part, dialect, upper_is_plain=upper_is_plain) for part in name.split("."))


def _fold_part(part: str, dialect: str, *, upper_is_plain: bool) -> str:
    plain = part == part.lower() or (upper_is_plain and part == part.upper())
    return fold(part, quoted=not plain or not part.replace("_", "a").isalnum(), dialect=dialect)


def opaque(why: str, line: int, text: str = "") -> Opaque:
    """`text` identifies the operation: the same at base and head is nobody's news."""
    return Opaque(why, line, " ".join(text.split()))
