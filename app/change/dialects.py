"""Which dialect a file is written in: its root says it, else the folder it stands in, its ending, else what is configured.

A folder that is called like a dialect says it only where it holds migrations or stands beside one that is called like another:
`models/postgres/` of a warehouse is named after where its rows come from, and the tool that builds it knows its own dialect.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final

from app.change.paths import MIGRATION_FOLDERS, find_root
from app.words import Config

_NAMES: Final = {
    "mssql": "tsql",
    "sqlserver": "tsql",
    "synapse": "tsql",
    "postgresql": "postgres",
    "pgsql": "postgres",
    "delta-lake": "databricks",
    "mariadb": "mysql",
    "glue": "athena",
}
_KNOWN: Final = frozenset({
    "snowflake", "bigquery", "postgres", "redshift", "databricks", "spark", "trino", "athena", "presto", "duckdb",
    "mysql", "tsql", "clickhouse", "oracle", "hive", "sqlite", "teradata", "doris", "starrocks", "materialize",
    "risingwave", "fabric",
})  # fmt: skip
#: names of products whose SQL is another's: as a folder's name they say nothing
_NO_FOLDERS: Final = frozenset({"doris", "starrocks", "materialize", "risingwave"})
_ENDINGS: Final = {".hql": "hive", ".pgsql": "postgres", ".psql": "postgres", ".tsql": "tsql", ".bqsql": "bigquery"}


def find_known(name: str | None) -> str | None:
    """sqlglot's name of the dialect that a person or a platform calls so."""
    low = _NAMES.get(name.lower(), name.lower()) if name else None
    return low if low in _KNOWN else None


def choose_dialect(
    path: str, config: Config, *, platform: str | None = None, folders: Mapping[str, str] | None = None
) -> str:
    """sqlglot's name: root, folder (of `find_dialect_folders`), file ending, configured default, the catalog's platform."""
    root = find_root(path, config)
    place = find_place(path, folders) if folders else None
    ending = _ENDINGS.get(PurePosixPath(path).suffix.lower())
    signs = (root.dialect if root else None, place, ending, config.dialect, platform, config.catalog.platform)
    return next((known for sign in signs if (known := find_known(sign)) is not None), "postgres")


def find_place(path: str, folders: Mapping[str, str]) -> str | None:
    """The dialect of the nearest such folder."""
    parents = PurePosixPath(path).parents
    return next((folders[str(folder)] for folder in parents if str(folder) in folders), None)


def find_dialect_folders(paths: Iterable[str], config: Config) -> Mapping[str, str]:
    """The folders of a tree whose name says in which dialect the SQL in them is."""
    holding = {str(folder) for path in paths if _may_be_sql(path) for folder in PurePosixPath(path).parents}
    found = {folder: find_known(posixpath.basename(folder)) for folder in holding}
    named = {folder: dialect for folder, dialect in found.items() if dialect and dialect not in _NO_FOLDERS}
    return {
        folder: dialect
        for folder, dialect in named.items()
        if _holds_migrations(folder, holding, config) or _has_other_beside(folder, dialect, named)
    }


def _may_be_sql(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return ".sql" in name or name.endswith(tuple(_ENDINGS))


def _holds_migrations(folder: str, holding: Collection[str], config: Config) -> bool:
    above = posixpath.basename(posixpath.dirname(folder)).lower()
    below = any(f"{folder}/{name}" in holding for name in MIGRATION_FOLDERS)
    root = find_root(f"{folder}/x.sql", config)
    return above in MIGRATION_FOLDERS or below or (root is not None and root.kind == "migrations")


def _has_other_beside(folder: str, dialect: str, named: Mapping[str, str]) -> bool:
    parent = posixpath.dirname(folder)
    return any(posixpath.dirname(other) == parent and there != dialect for other, there in named.items())
