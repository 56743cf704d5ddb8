"""Paths of a tree as text: folders, roots, what the tools never build. No disk."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import Final

from app.words import Config, Root

SQL_ENDINGS: Final = (".sql", ".ddl", ".hql", ".pgsql", ".psql", ".tsql", ".bqsql")
TEMPLATE_ENDINGS: Final = (".j2", ".jinja", ".jinja2", ".tpl")
TEMPLATE_SIGNS: Final = ("{{", "{%", "{#")


def is_sql(path: str) -> bool:
    """By its name: SQL, templated or not."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(SQL_ENDINGS) or (name.endswith(TEMPLATE_ENDINGS) and ".sql" in name)


def is_templated(text: str) -> bool:
    return any(sign in text for sign in TEMPLATE_SIGNS)


def join(folder: str, path: object) -> str:
    """A path of a project's configuration, below the project's folder; "" is the tree's root."""
    joined = posixpath.normpath(posixpath.join(folder or ".", str(path).strip()))
    return "" if joined == "." else joined.lstrip("/")


def is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def relative(path: str, folder: str) -> str:
    return path[len(folder) + 1 :] if folder else path


def find_folder(path: str, folders: Iterable[str]) -> str | None:
    """The deepest of the folders that holds the path."""
    return max((folder for folder in folders if is_below(path, folder)), key=len, default=None)


def stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def find_root(path: str, config: Config) -> Root | None:
    """The configured root with the longest path that holds this file."""
    roots = [root for root in config.roots if is_below(path, join("", root.path))]
    return max(roots, key=lambda root: len(root.path), default=None)
