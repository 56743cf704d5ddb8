"""Names for what was computed: the same text, settings, known columns and engine have the same digest, and nothing else has.

The engine's version is a digest of its own source, so that no change of it can be forgotten; with it go the versions of what
it parses and renders with. Local files of this package are read for that, once.
"""

from __future__ import annotations

import sys
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from app.change import ParseItem
from app.render import KnownNames
from app.words import Config, Permanent, Schema, Tree

#: whatever a parsed file or a rendered text depends on beside its own inputs
_ENGINE = (
    "words.py",
    "render",
    "reads",
    "change",
    "source/rendering.py",
    "source/parsing.py",
    "source/mentions.py",
    "source/bundle.py",
)
_PACKAGES = ("sqlglot", "jinja2", "pyyaml")
_BYTES = 20  # as many as a commit's name has


@cache
def find_engine_version() -> str:
    """Raises `Permanent` where the package's source is not on the disk: then nothing computed could be told apart."""
    root = Path(__file__).parent.parent
    found = blake2b(digest_size=_BYTES)
    for name in _ENGINE:
        paths = sorted((root / name).rglob("*.py")) if (root / name).is_dir() else [root / name]
        if not paths or not all(path.is_file() for path in paths):
            raise Permanent(f"the engine's source app/{name} is not there, so that its version cannot be told")
        for path in paths:
            _add(found, path.relative_to(root).as_posix().encode(), path.read_bytes())
    _add(found, repr(sys.version_info[:2]).encode(), *(version(package).encode() for package in _PACKAGES))
    return found.hexdigest()


def digest_tree(tree: Tree, config: Config, platform: str | None, known: KnownNames) -> str:
    """Of everything that rendering and classifying its files depends on."""
    found = _start(repr(config), repr(platform), repr(known))
    for path, text in sorted(tree.files.items()):
        _add(found, path.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def digest_schema(schema: Schema) -> str:
    """The order of the columns counts, that of the relations does not."""
    found = blake2b(digest_size=_BYTES)
    for relation, columns in sorted(schema.items()):
        _add(found, relation.encode(), repr(list(columns.items())).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def digest_parts(*parts: str) -> str:
    return _start(*parts).hexdigest()


def digest_item(item: ParseItem) -> str:
    """Of one text with all that is known of the relations in it."""
    return digest_parts(
        repr(item.text), item.kind, item.dialect, repr(item.naming), digest_schema(item.schema), repr(item.source)
    )


def _start(*parts: str) -> blake2b:
    found = blake2b(digest_size=_BYTES)
    _add(found, find_engine_version().encode(), *(part.encode("utf-8", "surrogatepass") for part in parts))
    return found


def _add(found: blake2b, *parts: bytes) -> None:
    """Each with its length before it, so that no two lists of parts run together."""
    for part in parts:
        found.update(len(part).to_bytes(8))
        found.update(part)
