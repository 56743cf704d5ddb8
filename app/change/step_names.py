"""Steps with the names that the catalog knows, and at the lines of their source file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from app.change.names import complete
from app.change.operations import ModelStep
from app.change.steps import (
    AddColumn,
    CreateTable,
    DdlStep,
    DropSchema,
    Inert,
    Opaque,
    RenameSchema,
    RenameTable,
    ReplaceColumns,
    Routine,
    SwapTables,
)
from app.words import CatalogNaming


def name_step(  # noqa: C901, PLR0911 - one return for each member of the union
    step: DdlStep | ModelStep, dialect: str, naming: CatalogNaming
) -> DdlStep | ModelStep:
    """The step with its relations' names completed."""

    def named(name: str) -> str:
        return complete(name, dialect=dialect, naming=naming)

    def named_schema(name: str) -> str:
        return name if naming.database is None or "." in name else f"{naming.database.lower()}.{name}"

    match step:
        case RenameTable():
            return dataclasses.replace(step, old=named(step.old), new=named(step.new))
        case SwapTables():
            return dataclasses.replace(step, first=named(step.first), second=named(step.second))
        case RenameSchema():
            return dataclasses.replace(step, old=named_schema(step.old), new=named_schema(step.new))
        case DropSchema():
            return step if step.database else dataclasses.replace(step, schema=named_schema(step.schema))
        case CreateTable():
            like = named(step.like) if step.like is not None else None
            return dataclasses.replace(step, relation=named(step.relation), like=like)
        case ModelStep():
            table = named(step.table) if step.table is not None else None
            new = named(step.new) if step.action == "rename" else step.new
            return dataclasses.replace(step, relation=named(step.relation), table=table, new=new)
        case Routine():
            relation = named(step.relation) if step.relation is not None else None
            return dataclasses.replace(step, name=named(step.name), relation=relation)
        case Inert() | Opaque():
            return step
        case _:
            return dataclasses.replace(step, relation=named(step.relation))


def find_step_relations(step: object) -> tuple[str, ...]:
    """Every relation that a step names, whatever kind of step it is; schemas and columns are none."""
    fields = ("old", "new", "first", "second") if isinstance(step, RenameTable | SwapTables) else ()
    named = (getattr(step, field, None) for field in ("relation", "table", "new_relation", "like", *fields))
    return tuple(name for name in named if isinstance(name, str))


def place_step(step: DdlStep, source: Callable[[int], int]) -> DdlStep:
    """The step with lines of the source file instead of those of the rendered text."""
    match step:
        case CreateTable() | ReplaceColumns():
            columns = tuple(dataclasses.replace(c, line=source(c.line) if c.line else 0) for c in step.columns)
            return dataclasses.replace(step, line=source(step.line), columns=columns)
        case AddColumn():
            line = source(step.column.line) if step.column.line else 0
            return dataclasses.replace(step, line=source(step.line), column=dataclasses.replace(step.column, line=line))
        case _:
            return dataclasses.replace(step, line=source(step.line))
