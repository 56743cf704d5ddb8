"""Submodules: which repository each one is of, and whether one that moved can matter to a change.

What is in a submodule is not in the tree. One whose two commits were listed matters if they hold anything that makes or reads a
table; one that nobody could list, if something of the project leads into it: a root, a project file, a path in code, or the
name of its folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from app.change import find_root_kind, is_sql_folder
from app.words import Config, Tree, Unknown

GITMODULES: Final = ".gitmodules"
_SECTION: Final = re.compile(r"^[ \t]*\[submodule\b", re.MULTILINE)
_ENTRY: Final = re.compile(r"^[ \t]*(path|url)[ \t]*=[ \t]*(\S+)[ \t\r]*$", re.MULTILINE)
_OWNED: Final = re.compile(r"[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/*$")


def find_moved(
    base: Tree, head: Tree, paths: Collection[str], config: Config, *, empty: Collection[str] = ()
) -> Iterator[Unknown]:
    """Of the changed paths those that are submodules and may matter. `empty`: those that were listed and hold no SQL."""
    for path in sorted(paths):
        why = head.unread.get(path) or base.unread.get(path)
        if why and "submodule" in why and path not in empty and is_led_into(path, (base, head), config):
            yield Unknown(f"{path} changed and could not be read", why, path)


def is_led_into(path: str, trees: tuple[Tree, ...], config: Config) -> bool:
    """Whether SQL of the project may stand in that submodule, or be read from there, for all that its trees say."""
    kind = find_root_kind(path, config)
    if kind is not None:
        return kind != "ignore"
    if is_sql_folder(path) or any(f"{root.path.strip('/')}/".startswith(f"{path}/") for root in config.roots):
        return True
    name = re.escape(posixpath.basename(path))
    leads = re.compile(rf"(?<![\w.-]){re.escape(path)}(?![\w-])|(?<![\w.-]){name}/|\.\./(?:[\w.-]+/)*{name}(?![\w-])")
    return any(leads.search(text) for tree in trees for file, text in tree.files.items() if file != GITMODULES)


def read_urls(tree: Tree) -> Mapping[str, str]:
    """Path of a submodule -> address of its repository."""
    found = {}
    for section in _SECTION.split(tree.files.get(GITMODULES, ""))[1:]:
        entries = dict(_ENTRY.findall(section))
        if "path" in entries and "url" in entries:
            found[entries["path"]] = entries["url"]
    return found


def find_full_name(url: str, beside: str) -> str | None:
    """`owner/name` in lower case; `beside` is the repository that a relative address starts from."""
    if url.startswith("."):
        url = "/" + posixpath.normpath(posixpath.join(beside or "owner/repository", url))
    named = _OWNED.search(url)
    return None if named is None else f"{named[1]}/{named[2]}".lower()
