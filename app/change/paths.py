"""What several readers of paths share: folders of migrations, and the configured roots."""

from __future__ import annotations

from app.words import Config, Root

#: folders whose files are ordered steps; compared in lower case
MIGRATION_FOLDERS = frozenset({
    "migrations", "migration", "migrate", "changelog", "changelogs", "liquibase", "flyway", "schemachange", "sqlx",
    "goose", "dbmate", "atlas",
})  # fmt: skip
#: and those that hold SQL of other kinds
_SQL_FOLDERS = MIGRATION_FOLDERS | {"sql", "dbt", "models", "macros", "seeds", "snapshots", "warehouse", "views", "ddl"}


def find_root(path: str, config: Config) -> Root | None:
    """The configured root with the longest path that holds this file."""
    matching = [root for root in config.roots if _is_below(path, root.path)]
    return max(matching, key=lambda root: len(root.path), default=None)


def _is_below(path: str, root: str) -> bool:
    prefix = root.strip("/").removeprefix("./")
    return prefix in {"", "."} or path == prefix or path.startswith(f"{prefix}/")


def is_migration_root(path: str, config: Config) -> bool:
    """Whether the configuration says that what stands there are migrations."""
    root = find_root(path, config)
    return root is not None and root.kind == "migrations"


def find_root_kind(path: str, config: Config) -> str | None:
    """The kind of the configured root that holds this path."""
    root = find_root(path, config)
    return None if root is None else root.kind


def is_sql_folder(path: str) -> bool:
    """A folder that is called after what tools look for in it, or below one that is."""
    return not _SQL_FOLDERS.isdisjoint(path.lower().split("/"))
