"""The known columns of every relation: DDL and definitions laid over the catalog's schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from app.change.deferral import defer_early
from app.change.model_tables import translate_models
from app.change.order import order_migrations
from app.change.removal import ParsedFile
from app.change.replay import replay
from app.change.steps import CreateTable, CreateView
from app.change.world import World
from app.reads import Statement
from app.words import Schema

_FILLS = frozenset({"insert", "merge", "update"})


@dataclasses.dataclass(frozen=True, slots=True)
class Worlds:
    """One tree: its migrations in order, and apart from them its definitions."""

    migrations: World
    definitions: World


def find_worlds(files: Sequence[ParsedFile], catalog: Schema) -> Worlds:
    """Replay one tree."""
    definitions = sorted((f for f in files if f.kind == "definition"), key=lambda f: f.path)
    return Worlds(
        replay_migrations(files, catalog, views_of=files),
        replay(_in_order(definitions), catalog, _find_views(files), definitional=True),
    )


def replay_migrations(files: Sequence[ParsedFile], catalog: Schema, *, views_of: Sequence[ParsedFile]) -> World:
    """The migrations among these files in their order. `views_of`: the tree whose views a CASCADE may take along."""
    ordered = defer_early(order_migrations(f for f in translate_models(files) if f.kind == "migration"))
    return replay(ordered, catalog, _find_views(views_of), definitional=False)


def _find_views(files: Sequence[ParsedFile]) -> dict[str, list[Statement]]:
    views: dict[str, list[Statement]] = {}
    for file in files:
        for statement in file.statements:
            if statement.kind == "create_view" and statement.target is not None and not statement.temporary:
                views.setdefault(statement.target, []).append(statement)
    return views


def _in_order(files: Sequence[ParsedFile]) -> Iterable[ParsedFile]:
    """Relations are made, then altered by scripts that make none, then filled, whatever the names of the files."""
    bare = [dataclasses.replace(f, statements=tuple(s for s in f.statements if s.kind not in _FILLS)) for f in files]
    yield from (file for file in bare if _makes_relations(file))
    yield from (file for file in bare if not _makes_relations(file))
    for file in files:
        fills = tuple(s for s in file.statements if s.kind in _FILLS)
        if fills:
            yield dataclasses.replace(file, statements=fills, steps=_temporary(file), unknowns=())


def _makes_relations(file: ParsedFile) -> bool:
    return file.relation is not None or any(
        isinstance(step, CreateTable | CreateView) and not step.temporary for step in file.steps
    )


def _temporary(file: ParsedFile) -> tuple[object, ...]:
    return tuple(s for s in file.steps if isinstance(s, CreateTable | CreateView) and s.temporary)


def find_schema(files: Sequence[ParsedFile], catalog: Schema) -> Schema:
    """relation -> column -> type ("" unknown): migrations over the catalog, definitions over both."""
    return schema_of(find_worlds(files, catalog), catalog)


def schema_of(worlds: Worlds, catalog: Schema) -> Schema:
    known = {relation: dict(columns) for relation, columns in catalog.items()}
    for world in (worlds.migrations, worlds.definitions):
        for relation, state in world.relations.items():
            if state is None:
                known.pop(relation, None)
                continue
            columns = {name: column.type for name, column in state.columns.items() if name != "*"}
            known[relation] = columns if state.known and columns else {**known.get(relation, {}), **columns}
    return {relation: columns for relation, columns in known.items() if columns}
