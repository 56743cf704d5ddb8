"""Migrations that are not SQL: which files they are, and which tool's.

Code outside of migration folders is no migration, unless it carries the marks of Alembic or Django. What such a file does is
read in `app.change.foreign_steps`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.change.paths import MIGRATION_FOLDERS, is_migration_root
from app.render import SqlText
from app.words import Config

_CODE = {
    ".py": "Python", ".rb": "Ruby", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
    ".ts": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript", ".java": "Java", ".kt": "Kotlin",
    ".kts": "Kotlin", ".groovy": "Groovy", ".scala": "Scala", ".go": "Go", ".cs": "C#", ".php": "PHP",
    ".ex": "Elixir", ".exs": "Elixir", ".rs": "Rust",
}  # fmt: skip
_DATA = {".xml": "XML", ".yaml": "YAML", ".yml": "YAML", ".json": "JSON"}
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "__tests__", "__mocks__"})
_TEST_NAME = re.compile(r"(\.(test|spec|d)\.[cm]?[jt]s|_test\.(go|exs))$")
_TOOL_FILES = frozenset({
    "package.json", "package-lock.json", "composer.json", "tsconfig.json", "docker-compose.yml", "docker-compose.yaml",
    "_journal.json",
})  # fmt: skip
#: by name: 20240101120000_x.rb, 001-x.js, V2__x.java, m20220101_000001_x.rs, Version20240101.php, SomethingMigration.cs
_MIGRATION_NAME = re.compile(r"^(\d{3,}|[VBR]\d*[\d._]*__|m\d{6,}|Version\d{6,})|Migration\.\w+$")
#: by content: remove_column, dropColumn, DropTable, ALTER TABLE, Schema::table, execute(...)
_OPERATION = re.compile(
    r"(add|drop|alter|rename|create|remove|modify|change|replace)[_\s]*(table|column|view|field|schema|type)"
    r"|schema::|\bexecute\b|\.raw\(|queryRunner",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """`tool` is alembic, django or liquibase; "" where nothing can be read, and then `language` says why."""

    tool: str
    language: str


def may_be_foreign(path: str, *, rooted: bool = False) -> bool:
    """By name alone: may this file be a migration that is not SQL. Python may be one wherever it stands.

    `rooted`: it stands in a root that the configuration calls migrations.
    """
    pure = PurePosixPath(path)
    suffix, name = pure.suffix.lower(), pure.name.lower()
    folders = {part.lower() for part in pure.parts[:-1]}
    if suffix in _DATA:
        if name in _TOOL_FILES or any(part.startswith(".") for part in pure.parts[:-1]):
            return False
        return rooted or bool(folders & MIGRATION_FOLDERS) or "changelog" in name
    return suffix in _CODE and (rooted or suffix == ".py" or bool(folders & MIGRATION_FOLDERS))


def find_foreign(path: str, text: str, *, rooted: bool = False) -> Foreign | None:
    """What kind of migration the file is; None where it is none. `rooted`: see `may_be_foreign`."""
    if not may_be_foreign(path, rooted=rooted):
        return None
    pure = PurePosixPath(path)
    suffix = pure.suffix.lower()
    if suffix in _DATA:
        return _find_data(pure, text, _DATA[suffix], rooted=rooted)
    if suffix == ".py":
        return _find_python(pure, text, rooted=rooted)
    folders = {part.lower() for part in pure.parts[:-1]}
    if folders & _TEST_FOLDERS or _TEST_NAME.search(pure.name):
        return None
    looks = rooted or _MIGRATION_NAME.search(pure.name) is not None or _OPERATION.search(text) is not None
    return Foreign("", _CODE[suffix]) if looks else None


#: a Kubernetes manifest; what dbt says of its models
_NO_MIGRATION = re.compile(
    r"^(?:apiVersion:|(?:models|sources|seeds|snapshots|exposures|macros|metrics|unit_tests):[ \t]*(?:#.*)?\n\s*- *name:)",
    re.MULTILINE,
)


def _find_data(path: PurePosixPath, text: str, language: str, *, rooted: bool) -> Foreign | None:
    if "databaseChangeLog" in text:
        return Foreign("liquibase", language)
    folders = {part.lower() for part in path.parts[:-1]}
    if not (rooted or folders & MIGRATION_FOLDERS) or "meta" in folders or _NO_MIGRATION.search(text):
        return None  # a changelog for people, a tool's notes
    return Foreign("", language)


def _find_python(path: PurePosixPath, text: str, *, rooted: bool) -> Foreign | None:
    folders = {part.lower() for part in path.parts[:-1]}
    tests = bool(folders & _TEST_FOLDERS) or path.name.startswith(("test_", "conftest"))
    marked = rooted or not tests or is_code_migration(path.as_posix())  # tests of migrations quote them
    if marked and "down_revision" in text and "def upgrade" in text:
        return Foreign("alembic", "Python")
    if marked and "migrations.Migration" in text and "operations" in text:
        return Foreign("django", "Python")
    placed = is_code_migration(path.as_posix()) or (rooted and not path.name.startswith("__"))
    return Foreign("", "Python") if placed else None


def is_code_migration(path: str) -> bool:
    """A migration written in Python, by its place (Alembic, Django)."""
    pure = PurePosixPath(path)
    folders = [part.lower() for part in pure.parts[:-1]]
    if pure.suffix != ".py" or pure.name.startswith("__") or pure.name in {"env.py", "conftest.py"}:
        return False
    return "migrations" in folders or ("alembic" in folders and "versions" in folders)


def find_migration_texts(files: Mapping[str, str], config: Config) -> tuple[SqlText, ...]:
    """The texts of a tree that `parse_file` reads as migrations though they are not SQL, in the order of their paths."""
    return tuple(
        SqlText(path, text, tuple(range(1, text.count("\n") + 2)))
        for path, text in sorted(files.items())
        if find_foreign(path, text, rooted=is_migration_root(path, config)) is not None
    )
