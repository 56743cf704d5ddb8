"""Django's models and fields -> tables and columns, followed through the migrations of each application in order.

A model is told by its CreateModel, a field by its definition. What names a model or a field that no migration here told is
opaque: its table could only be guessed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.change import steps as ddl
from app.change.operations import Field, ModelStep
from app.change.order import order_migrations
from app.change.removal import ParsedFile
from app.change.steps import DdlStep, Opaque

_UNTOLD = "its table or column is told by no migration of this repository"


def translate_models(files: Sequence[ParsedFile]) -> tuple[ParsedFile, ...]:
    """The same files in the same order, without steps on models."""
    if not any(isinstance(step, ModelStep) for file in files for step in file.steps):
        return tuple(files)
    models: dict[str, _Model] = {}
    steps: dict[int, tuple[object, ...]] = {}
    numbers = {id(file): number for number, file in enumerate(files)}
    for file in order_migrations(files):
        found: list[object] = []
        for step in file.steps:
            if isinstance(step, ModelStep):
                found += _translate(step, models)
            else:
                found.append(step)
        steps[numbers[id(file)]] = tuple(found)
    return tuple(dataclasses.replace(f, steps=steps[n]) if n in steps else f for n, f in enumerate(files))


@dataclass(slots=True)
class _Model:
    """`fixed`: its table has a name of its own, which a renaming of the model leaves alone."""

    table: str
    fixed: bool = False
    fields: dict[str, Field] = field(default_factory=dict)


def _translate(step: ModelStep, models: dict[str, _Model]) -> Iterator[DdlStep]:
    if step.action == "create":
        yield from _create(step, models)
        return
    model = models.get(step.relation)
    if model is None:
        if step.action == "table" and step.new != "rename":
            models[step.relation] = _Model(step.table or step.relation, fixed=step.table is not None)
            return
        yield _untold(step)
        return
    match step.action:
        case "delete":
            del models[step.relation]
            yield ddl.DropTable(model.table, step.line, cascade=True)
        case "rename" | "table":
            yield from _rename(step, model, models)
        case "add":
            yield from _add(step, model)
        case "remove":
            yield from _remove(step, model)
        case "rename_field":
            yield from _rename_field(step, model)
        case "alter":
            yield from _alter(step, model)


def _untold(step: ModelStep) -> Opaque:
    named = step.name or (step.fields[0].name if step.fields else "")
    return Opaque(_UNTOLD, step.line, f"{step.action} {step.relation} {named}".strip())


def _create(step: ModelStep, models: dict[str, _Model]) -> Iterator[DdlStep]:
    model = _Model(step.table or step.relation, fixed=step.table is not None)
    model.fields = {one.name: one for one in step.fields}
    models[step.relation] = model
    columns = tuple(one.definition for one in step.fields if one.column)
    if not any(one.key or one.name == "id" for one in step.fields):
        columns = (ddl.Column("id", not_null=True, line=step.line), *columns)
    yield ddl.CreateTable(model.table, step.line, columns)


def _rename(step: ModelStep, model: _Model, models: dict[str, _Model]) -> Iterator[DdlStep]:
    old = model.table
    if step.action == "table":
        model.table, model.fixed = step.table or step.relation, step.table is not None
    else:
        models[step.new] = models.pop(step.relation)
        model.table = model.table if model.fixed else step.new
    if model.table != old:
        yield ddl.RenameTable(old, model.table, step.line)


def _add(step: ModelStep, model: _Model) -> Iterator[DdlStep]:
    (one,) = step.fields
    model.fields[one.name] = one
    if one.column:
        yield ddl.AddColumn(model.table, one.definition, step.line)


def _remove(step: ModelStep, model: _Model) -> Iterator[DdlStep]:
    one = model.fields.pop(step.name, None)
    if one is None:
        yield _untold(step)
    elif one.column:
        yield ddl.DropColumn(model.table, one.column, step.line)


def _rename_field(step: ModelStep, model: _Model) -> Iterator[DdlStep]:
    one = model.fields.pop(step.name, None)
    if one is None:
        yield _untold(step)
        return
    column = one.column
    if column and not one.fixed:
        column = step.new + one.suffix
        yield ddl.RenameColumn(model.table, one.column, column, step.line)
    model.fields[step.new] = dataclasses.replace(one, name=step.new, column=column)


def _alter(step: ModelStep, model: _Model) -> Iterator[DdlStep]:
    """A whole new definition: name, type, nullability and default of its column."""
    (now,) = step.fields
    before = model.fields.get(now.name)
    model.fields[now.name] = now
    if before is None:
        yield _untold(step)
        return
    if bool(before.column) != bool(now.column) or (not now.type and before.text != now.text):
        yield Opaque("which type the field gets is not told", step.line, f"{step.relation} {now.name} {now.text}")
        return
    if not now.column:
        return
    if before.column != now.column:
        yield ddl.RenameColumn(model.table, before.column, now.column, step.line)
    if now.type and now.type != before.type:
        yield ddl.AlterType(model.table, now.column, now.type, step.line)
    if now.definition.not_null != before.definition.not_null:
        null = ddl.SetNotNull if now.definition.not_null else ddl.DropNotNull
        yield null(model.table, now.column, step.line)
    if now.definition.default != before.definition.default:
        text = now.definition.default
        yield (
            ddl.SetDefault(model.table, now.column, text, step.line)
            if text
            else ddl.DropDefault(model.table, now.column, step.line)
        )
