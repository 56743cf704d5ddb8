"""Scripts that nothing orders or builds: a table that one of them drops or makes anew is what a definition or migration says.

Only whole tables, only where another file that the change leaves alone still builds all of their columns, and only in folders
that are called so. An ALTER is a removal wherever it stands, and who reads is a reader whatever the folder is called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from app.change.files import find_dbt_folders
from app.change.paths import find_root
from app.change.removal import ParsedFile, Removal
from app.change.schema import Worlds, find_worlds
from app.change.sources import Sources
from app.change.steps import CreateTable, CreateView, DropTable, DropView
from app.change.world import Place, RelationState
from app.words import Config, Schema

_FOLDERS: Final = frozenset({
    "example", "examples", "doc", "docs", "sandbox", "sandboxes", "scratch", "demo", "demos",
})  # fmt: skip
_MAKES: Final = frozenset({"create_table", "create_table_as", "create_view"})
_Whole: TypeAlias = CreateTable | CreateView | DropTable | DropView


@dataclasses.dataclass(frozen=True, slots=True)
class Scratch:
    """Both trees without what scratch files do to tables that others build, and that as warnings."""

    base: Sequence[ParsedFile]
    head: Sequence[ParsedFile]
    removals: tuple[Removal, ...] = ()


def set_scratch_aside(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    paths: Collection[str],
    changed: frozenset[str],
    catalog: Schema,
    config: Config,
) -> Scratch:
    """`paths` are those of all files of both trees, to know where dbt projects stand."""
    projects = find_dbt_folders(paths) - {""}  # below the one at the root only its models are its own
    scratch = {file.path for file in (*base, *head) if _is_scratch(file, projects, config)}
    touched = {step.relation for file in (*base, *head) if file.path in scratch for step in _find_whole(file)}
    built = {
        name: path
        for file in head
        for name in _find_made(file) & touched
        if (path := file.path) not in scratch | changed
    }
    if not built:
        return Scratch(base, head)
    others = find_worlds([file for file in head if file.path not in scratch], catalog)
    before = find_worlds(base, catalog)
    kept = {name: path for name, path in built.items() if _is_whole(name, others, before, catalog)}
    removals = tuple(_find_dropped(base, head, scratch, kept, catalog))
    was, now = ([_without(f, kept.keys()) if f.path in scratch else f for f in files] for files in (base, head))
    return Scratch(was, now, removals)


def _is_scratch(file: ParsedFile, projects: Collection[str], config: Config) -> bool:
    path = PurePosixPath(file.path)
    if (
        file.kind != "definition"
        or file.templated
        or file.relation is not None
        or find_root(file.path, config) is not None
    ):
        return False
    named = not _FOLDERS.isdisjoint(part.lower() for part in path.parts[:-1])
    return named and not any(path.is_relative_to(folder) for folder in projects)


def _find_whole(file: ParsedFile) -> Iterator[_Whole]:
    """A CASCADE takes along what nobody names here."""
    for step in file.steps:
        if isinstance(step, CreateTable | CreateView) or (isinstance(step, DropTable | DropView) and not step.cascade):
            yield step


def _find_made(file: ParsedFile) -> set[str]:
    made = {s.relation for s in file.steps if isinstance(s, CreateTable | CreateView) and not s.temporary}
    return made if file.relation is None else made | {file.relation}


def _is_whole(relation: str, others: Worlds, before: Worlds, catalog: Schema) -> bool:
    """Without the scratch files it has every column that it had with them, and that the catalog knows."""
    now = _find(relation, others)
    if now is None or not (now.declared and now.known) or now.unread:
        return False
    was = _find(relation, before)
    had = {*(was.columns if was is not None else ()), *catalog.get(relation, ())}
    return had <= now.columns.keys()


def _find(relation: str, worlds: Worlds) -> RelationState | None:
    return worlds.definitions.relations.get(relation) or worlds.migrations.relations.get(relation)


def _find_dropped(
    base: Sequence[ParsedFile], head: Sequence[ParsedFile], scratch: set[str], kept: dict[str, str], catalog: Schema
) -> Iterator[Removal]:
    """A table that such a file drops and did not drop before: whoever runs it should know."""
    sources = Sources({}, {file.path: file.source for file in head})
    known = {
        (file.path, step.relation) for file in base for step in file.steps if isinstance(step, DropTable | DropView)
    }
    for file in head:
        for step in _find_whole(file) if file.path in scratch else ():
            is_news = isinstance(step, DropTable | DropView) and (file.path, step.relation) not in known
            if is_news and step.relation in kept and step.relation in catalog:
                where = sources.at(Place(file.path, step.line), "head")
                detail = (
                    f"{file.path} does it if somebody runs it, and {kept[step.relation]} still builds it; `roots:` with "
                    f"`kind: ignore` in .tether.yml leaves such files out"
                )
                yield Removal("relation_dropped", step.relation, None, where, level="warn", detail=detail)


def _without(file: ParsedFile, relations: Collection[str]) -> ParsedFile:
    gone = {id(step) for step in _find_whole(file) if step.relation in relations}
    steps = tuple(step for step in file.steps if id(step) not in gone)
    statements = tuple(s for s in file.statements if s.kind not in _MAKES or s.target not in relations)
    return dataclasses.replace(file, steps=steps, statements=statements)
