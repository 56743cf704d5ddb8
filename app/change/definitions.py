"""Which file builds which relation, and as what: what has a name of its own in a catalog once it was built."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.change.files import find_home
from app.change.paths import MIGRATION_FOLDERS, find_root
from app.change.removal import ParsedFile
from app.change.steps import CreateTable, CreateView
from app.words import Config


@dataclass(frozen=True, slots=True)
class BuiltBy:
    """`kind`: how a tool builds it (its materialization), or what the statement makes."""

    path: str
    kind: str


def find_definitions(files: Iterable[ParsedFile]) -> Mapping[str, BuiltBy]:
    """Relation -> its first definition. What is in no database (ephemeral, temporary) has none."""
    found: dict[str, BuiltBy] = {}
    for file in files:
        if file.relation is not None and file.materialized != "ephemeral":
            found.setdefault(file.relation, BuiltBy(file.path, file.materialized or "model"))
        for step in file.steps if file.relation is None else ():
            if isinstance(step, CreateTable | CreateView) and not step.temporary:
                kind = "view" if isinstance(step, CreateView) else "table"
                found.setdefault(step.relation, BuiltBy(file.path, kind))
    return found


def find_root_path(path: str, config: Config, projects: Collection[str]) -> str:
    """What is named by one set of rules: a configured root, a dbt project, one sequence of migrations, else the repository."""
    root = find_root(path, config)
    if root is not None:
        return root.path
    pure = PurePosixPath(path)
    project = max((one for one in projects if not one or pure.is_relative_to(one)), key=len, default=None)
    if project is not None:
        return project or "."
    return find_home(path) if not MIGRATION_FOLDERS.isdisjoint(pure.parts) else ""
