"""What a file is, told from its path and its first lines: a migration, a definition, other SQL, or none of our business.

Rules of the tools are named where they apply. Nothing here reads SQL.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable
from pathlib import PurePosixPath

from app.change.foreign import find_foreign, may_be_foreign
from app.change.paths import MIGRATION_FOLDERS, find_root, is_migration_root
from app.change.removal import FileKind
from app.words import Config

_SQL = (".sql", ".ddl", ".hql", ".pgsql", ".psql", ".tsql", ".bqsql")
_TEMPLATES = (".j2", ".jinja", ".jinja2", ".tpl")
_NOT_OURS = frozenset({"node_modules", "site-packages", ".venv", "venv", ".git", "__pycache__"})
#: what dbt and its packages write or check, never what it builds (docs.getdbt.com/reference/dbt_project.yml)
_IGNORED = frozenset({"target", "dbt_packages", "dbt_modules", "analyses"})
_DBT_TESTS = frozenset({"tests", "test"})
_PROJECT_FOLDERS = frozenset({"models", "seeds", "snapshots", "macros", "transform", "dbt", "audits", "metrics"})
_SEED_FOLDERS = frozenset({"seeds", "data", "seed"})
_MODEL_FOLDERS = frozenset({"models", "snapshots", "seeds", "macros"})
_DBT_FILES = frozenset({"dbt_project.yml", "dbt_project.yaml"})
_PROJECT_FILES = frozenset({"dbt_project.yml", "dbt_project.yaml", "config.yaml", "config.yml", "feature_store.yaml"})
_FLYWAY = re.compile(r"^(V|B|U|R)(\d[\d._]*)?__", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{3,})[_\-.]")
#: what a numbered file outside of a migrations folder has to hold to be an ordered step: the steps of a pipeline that runs
#: every day are numbered as well, and only fill tables
_STEP = re.compile(
    r"\b(?:alter|drop|rename|undrop)\s+(?:materialized\s+)?(?:table|view|schema|column|database|type)\b"
    r"|\bcreate\s+(?:or\s+replace\s+)?(?:table|schema|type|database)\s+(?:if\s+not\s+exists\s+)?[\w.`\"\[\]]+\s*(?:\(|;|$)"
    r"|\bsp_rename\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"^(19|20)\d\d[_\-.]\D")
_NUMBER = re.compile(r"^[VvBb]?(\d+(?:[._\-]\d+)*)")
_MARKERS = (
    "-- +goose up",
    "-- migrate:up",
    "-- +migrate up",
    "--liquibase formatted sql",
    "-- liquibase formatted sql",
)
_DOWN_NAME = re.compile(r"(^|\.)(down|undo|rollback|revert)\.sql$", re.IGNORECASE)
#: `0002_a_down.sql` goes back only beside `0002_a_up.sql`; alone it is called after what it does (0002_scale_down.sql)
_DOWN_OF_PAIR = re.compile(r"^(.*[_\-])(down)(\.sql)$", re.IGNORECASE)


def find_dbt_folders(paths: Iterable[str]) -> frozenset[str]:
    """The folders of these paths' dbt projects; "" is the root of the repository."""
    return frozenset(folder for path in paths for folder, _, name in [path.rpartition("/")] if name in _DBT_FILES)


def is_relevant(path: str, config: Config | None = None, *, dbt: Collection[str] = ()) -> bool:
    """By name alone: may this file hold SQL, or change how SQL of others is rendered.

    With a configuration, code in its roots of migrations counts as well; below the folders of `dbt` projects every YAML and CSV
    file, for a project names the folders of its property files and seeds as it likes.
    """
    pure = PurePosixPath(path)
    folders = set(pure.parts[:-1])
    if folders & _NOT_OURS:
        return False
    name = pure.name.lower()
    if name.endswith(_SQL) or (name.endswith(_TEMPLATES) and ".sql" in name) or name.endswith(".py"):
        return True
    if may_be_foreign(path, rooted=config is not None and is_migration_root(path, config)):
        return True
    if name.endswith((".csv", ".yml", ".yaml")) and _is_below(pure, dbt):
        return True
    if name.endswith(".csv"):
        return bool(folders & _SEED_FOLDERS)
    return name in _PROJECT_FILES or (name.endswith((".yml", ".yaml")) and bool(folders & _PROJECT_FOLDERS))


def may_hold_queries(path: str, config: Config) -> bool:
    """By name alone: SQL that may read tables; no data, no code, nothing that is never applied or that is ignored."""
    pure = PurePosixPath(path)
    root = find_root(path, config)
    if not _is_sql(pure) or pure.suffix.lower() == ".csv" or set(pure.parts[:-1]) & _NOT_OURS:
        return False
    return root.kind != "ignore" if root is not None else not (_is_ignored(pure) or _is_down(pure))


def _is_below(path: PurePosixPath, dbt: Collection[str]) -> bool:
    folders = path.parts[:-1]
    if any(part.startswith(".") or part in _IGNORED for part in folders):
        return False
    return any(not folder or path.is_relative_to(folder) for folder in dbt)


def classify(  # noqa: PLR0911 - one return for each sign
    path: str, text: str, config: Config, *, dbt: Collection[str] = ()
) -> FileKind | None:
    """None: not SQL, or SQL that is never applied (down parts, compiled and vendored files, dbt tests)."""
    if not is_relevant(path, config, dbt=dbt):
        return None
    pure = PurePosixPath(path)
    root = find_root(path, config)
    if root is not None and root.kind == "ignore":
        return None
    if find_foreign(path, text, rooted=is_migration_root(path, config)) is not None:
        return "migration"
    if pure.suffix in {".py", ".yml", ".yaml"}:
        return "other"
    if not _is_sql(pure):
        return None
    if (root is None and _is_ignored(pure)) or _is_down(pure):
        return None
    if root is not None:
        return "migration" if root.kind == "migrations" else "definition"
    return _classify_sql(pure, text)


def _classify_sql(path: PurePosixPath, text: str) -> FileKind:
    folders = {part.lower() for part in path.parts[:-1]}
    head = text[:4000].lower()
    if "macros" in folders:
        return "other"
    if path.suffix == ".csv" or folders & _MODEL_FOLDERS:
        return "definition"
    if any(marker in head for marker in _MARKERS) or folders & MIGRATION_FOLDERS:
        return "migration"
    if "{{ config(" in head or "{{ ref(" in head or "{{ source(" in head:
        return "definition"
    numbered = _NUMBERED.match(path.name) is not None and _YEAR.match(path.name) is None
    is_step = _FLYWAY.match(path.name) is not None or (numbered and _STEP.search(text) is not None)
    return "migration" if is_step else "definition"


def _is_ignored(path: PurePosixPath) -> bool:
    folders = {part.lower() for part in path.parts[:-1]}
    if folders & _IGNORED and not folders & MIGRATION_FOLDERS:
        return True
    return bool(folders & _DBT_TESTS) and not folders & MIGRATION_FOLDERS


def _is_down(path: PurePosixPath) -> bool:
    """`x.down.sql` (golang-migrate, sqlx), `down.sql` (diesel), Flyway's `U1__x.sql`."""
    flyway = _FLYWAY.match(path.name)
    return _DOWN_NAME.search(path.name) is not None or (flyway is not None and flyway.group(1).upper() == "U")


def is_down_of_pair(path: str, paths: Container[str]) -> bool:
    """A down script by its name, and its up script is among `paths`."""
    match = _DOWN_OF_PAIR.match(path)
    return match is not None and any(f"{match[1]}{up}{match[3]}" in paths for up in ("up", "Up", "UP"))


def _is_sql(path: PurePosixPath) -> bool:
    name = path.name.lower()
    return name.endswith((*_SQL, ".csv")) or (name.endswith(_TEMPLATES) and ".sql" in name)


def find_version(path: str) -> tuple[int, ...] | None:
    """The number that orders a migration: of its file name, else of the nearest folder; None where there is none."""
    pure = PurePosixPath(path)
    for part in (pure.name, *reversed(pure.parts[:-1])):
        match = _NUMBER.match(part)
        if match is not None:
            return tuple(int(number) for number in re.split(r"[._\-]", match.group(1)))
    return None


def order_key(path: str) -> tuple[bool, str, bool, tuple[int, ...], str]:
    """Sorts migrations as their tools apply them: folders apart, by number or timestamp, Flyway's R files last."""
    pure = PurePosixPath(path)
    repeatable = re.match(r"^R__", pure.name, re.IGNORECASE) is not None
    version = find_version(path)
    return (repeatable, _home(pure), version is None, version or (), path)


def _home(path: PurePosixPath) -> str:
    """The folder whose files form one sequence: numbered folders belong to their parent's."""
    parts = list(path.parts[:-1])
    while parts and _NUMBER.match(parts[-1]):
        parts.pop()
    return "/".join(parts)


def find_home(path: str) -> str:
    """The folder whose migrations form one sequence."""
    return _home(PurePosixPath(path))


def find_sequence(path: str) -> tuple[str, tuple[int, ...]] | None:
    """Folder and number of a versioned migration: no two files may share them."""
    version = find_version(path)
    repeatable = re.match(r"^R__", PurePosixPath(path).name, re.IGNORECASE) is not None
    return None if version is None or repeatable else (_home(PurePosixPath(path)), version)
