"""Files and submodules of a tree whose text is not here: nobody can tell what SQL they hold.

A submodule counts unless its repository is read by itself, or belongs to somebody else: foreign code does not know our tables.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from app.change import has_no_text, may_hold_queries
from app.trail import OpaqueFile
from app.words import Config, Repo, Tree

GITMODULES = ".gitmodules"
_SECTION = re.compile(r"^[ \t]*\[submodule\b", re.MULTILINE)
_ENTRY = re.compile(r"^[ \t]*(path|url)[ \t]*=[ \t]*(\S+)[ \t\r]*$", re.MULTILINE)
_OWNED = re.compile(r"[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/*$")


def find_absent(repo: Repo, tree: Tree, config: Config, known: Collection[str] = ()) -> tuple[OpaqueFile, ...]:
    """`known`: full names of the repositories whose SQL is read. In the order of the paths."""
    return tuple(
        OpaqueFile(repo, path, why, frozenset(), absent=True) for path, why in _find(repo, tree, config, known)
    )


def _find(repo: Repo, tree: Tree, config: Config, known: Collection[str]) -> Iterator[tuple[str, str]]:
    urls = _read_urls(tree.files.get(GITMODULES, ""))
    missing = {path: "its text is not SQL" for path, text in tree.files.items() if has_no_text(text)}
    for path, why in sorted({**missing, **tree.unread}.items()):
        if "submodule" in why:
            if may_hold_queries(f"{path}/x.sql", config) and _is_ours(urls.get(path, ""), repo, known):
                yield path, why
        elif may_hold_queries(path, config):
            yield path, why


def _read_urls(text: str) -> dict[str, str]:
    found = {}
    for section in _SECTION.split(text)[1:]:
        entries = dict(_ENTRY.findall(section))
        if "path" in entries and "url" in entries:
            found[entries["path"]] = entries["url"]
    return found


def _is_ours(url: str, repo: Repo, known: Collection[str]) -> bool:
    """Whether the submodule may hold SQL of this organisation that nobody reads."""
    owner = repo.full_name.partition("/")[0].lower()
    if url.startswith("."):
        url = "/" + posixpath.normpath(posixpath.join(repo.full_name or "owner/repository", url))
    named = _OWNED.search(url)
    if named is None or not owner:
        return True
    full_name = f"{named[1]}/{named[2]}".lower()
    return full_name not in {name.lower() for name in known} and named[1].lower() == owner
