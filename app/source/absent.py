"""Files and submodules of a tree whose text is not here: nobody can tell what SQL they hold.

A submodule counts if something of the project leads into it, unless its repository is read by itself, or belongs to somebody
else: foreign code does not know our tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from app.change import has_no_text, may_hold_queries
from app.source.submodules import find_full_name, is_led_into, read_urls
from app.trail import OpaqueFile
from app.words import Config, Repo, Tree


def find_absent(repo: Repo, tree: Tree, config: Config, known: Collection[str] = ()) -> tuple[OpaqueFile, ...]:
    """`known`: full names of the repositories whose SQL is read. In the order of the paths."""
    return tuple(
        OpaqueFile(repo, path, why, frozenset(), absent=True) for path, why in _find(repo, tree, config, known)
    )


def _find(repo: Repo, tree: Tree, config: Config, known: Collection[str]) -> Iterator[tuple[str, str]]:
    urls = read_urls(tree)
    missing = {path: "its text is not SQL" for path, text in tree.files.items() if has_no_text(text)}
    for path, why in sorted({**missing, **tree.unread}.items()):
        if "submodule" in why:
            if is_led_into(path, (tree,), config) and _is_ours(urls.get(path, ""), repo, known):
                yield path, why
        elif may_hold_queries(path, config):
            yield path, why


def _is_ours(url: str, repo: Repo, known: Collection[str]) -> bool:
    """Whether the submodule may hold SQL of this organisation that nobody reads."""
    owner = repo.full_name.partition("/")[0].lower()
    full_name = find_full_name(url, repo.full_name)
    if full_name is None or not owner:
        return True
    return full_name not in {name.lower() for name in known} and full_name.partition("/")[0] == owner
