"""The known columns of every relation: DDL and definitions laid over the catalog's schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from app.change.files import order_key
from app.change.removal import ParsedFile
from app.change.replay import replay
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
    views: dict[str, list[Statement]] = {}
    for file in files:
        for statement in file.statements:
            if statement.kind == "create_view" and statement.target is not None and not statement.temporary:
                views.setdefault(statement.target, []).append(statement)
    migrations = sorted((f for f in files if f.kind == "migration"), key=lambda f: order_key(f.path))
    definitions = sorted((f for f in files if f.kind == "definition"), key=lambda f: f.path)
    return Worlds(
        replay(migrations, catalog, views, definitional=False),
        replay(_fills_last(definitions), catalog, views, definitional=True),
    )


def _fills_last(files: Sequence[ParsedFile]) -> Iterable[ParsedFile]:
    """A table is declared before it is filled, whatever the names of the files."""
    for file in files:
        yield dataclasses.replace(file, statements=tuple(s for s in file.statements if s.kind not in _FILLS))
    for file in files:
        fills = tuple(s for s in file.statements if s.kind in _FILLS)
        if fills:
            yield dataclasses.replace(file, statements=fills, steps=(), unknowns=())


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
