"""Two databases beside each other in one repository, with tables of the same names: each has its own.

Folders that are called like dialects hold them (`db/mysql/`, `db/postgresql/`). What the catalog knows is of one platform; a
table that the files of this platform create is theirs, and what the others do to their table of that name does not reach it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence

from app.change.dialects import find_dialect_folders, find_known, find_place
from app.change.removal import ParsedFile
from app.change.steps import CreateTable, CreateView
from app.words import Config


def set_twins_aside(files: Sequence[ParsedFile], paths: Iterable[str], config: Config) -> Sequence[ParsedFile]:
    """The files of one tree, those of other databases without what they say of the catalog's tables. `paths`: of all trees."""
    own = find_known(config.catalog.platform) or find_known(config.dialect)
    folders = find_dialect_folders(paths, config)
    if own is None or own not in folders.values():
        return files
    foreign = {file.path for file in files if _is_foreign(file, folders, own)}
    made = {
        step.relation
        for file in files
        if find_place(file.path, folders) == own
        for step in file.steps
        if isinstance(step, CreateTable | CreateView)
    }
    return [_without(file, made) if file.path in foreign else file for file in files]


def _is_foreign(file: ParsedFile, folders: Mapping[str, str], own: str) -> bool:
    place = find_place(file.path, folders)
    return place not in (None, own) and file.dialect == place and not file.templated


def _without(file: ParsedFile, relations: Collection[str]) -> ParsedFile:
    steps = tuple(step for step in file.steps if not _is_among(_find_relation(step), relations))
    statements = tuple(s for s in file.statements if s.target is None or not _is_among(s.target, relations))
    return dataclasses.replace(file, steps=steps, statements=statements)


def _is_among(name: str, relations: Collection[str]) -> bool:
    """In the parts that both have: engines differ in how many a name has."""
    return any(f".{one}".endswith(f".{name}") or f".{name}".endswith(f".{one}") for one in relations)


def _find_relation(step: object) -> str:
    """ "." where it has none."""
    return str(getattr(step, "relation", None) or getattr(step, "old", None) or ".")
