"""The cache of parsed SQL as values: what was rendered and parsed under a digest, or nothing.

A review may be killed, upgraded or start on an empty database at any time: whatever is not there, or cannot be read,
is computed. Nothing unfinished is kept: a child that gave up under load would be believed for weeks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

from app.change import FileKind, ParsedFile
from app.change.operations import ModelStep
from app.change.steps import DdlStep
from app.ports import ParseRows
from app.reads import Statement
from app.render import KnownNames, RefState
from app.source.bundle import collector_off, pack, unpack
from app.source.rendering import Placed
from app.words import Unknown

T = TypeVar("T")
Lines = tuple[str, ...]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredVariant:
    """A `ParsedFile` without its lines, which the tree has anyway, and without variants of its own."""

    path: str
    kind: FileKind
    dialect: str
    statements: tuple[Statement, ...]
    steps: tuple[DdlStep | ModelStep, ...]
    unknowns: tuple[Unknown, ...]
    relation: str | None
    templated: bool
    materialized: str | None
    on_schema_change: str | None
    revision: str
    follows: tuple[str, ...]
    includes: tuple[str, ...]
    refs: tuple[tuple[str, RefState], ...]


@dataclass(frozen=True, slots=True)
class StoredFile(StoredVariant):
    variants: tuple[StoredVariant, ...]


_NAMES = tuple(field.name for field in fields(ParsedFile) if field.name not in {"source", "variants"})


@dataclass(frozen=True, slots=True)
class ParseCache:
    """`cache` None: there is none."""

    cache: ParseRows | None

    async def fetch_texts(self, key: str) -> tuple[Placed, ...] | None:
        return (await self._fetch(Placed, "texts", [key])).get(key)

    async def fetch_tree(self, key: str, sources: Sequence[Lines]) -> tuple[ParsedFile, ...] | None:
        """The files of a whole tree, in the order of its texts; `sources` are the lines of each, in the same order."""
        name = f"tree:{key}"
        rows = await self.cache.fetch_parsed([name]) if self.cache is not None else {}
        return await asyncio.to_thread(_unpack_tree, name, rows, sources) if rows else None

    async def fetch_files(self, keys: Sequence[str]) -> dict[str, ParsedFile]:
        """Those that are there, without their lines."""
        found = await self._fetch(StoredFile, "file", keys)
        return {key: _parsed(files[0]) for key, files in found.items() if len(files) == 1}

    async def fetch_names(self, key: str) -> KnownNames | None:
        found = (await self._fetch(KnownNames, "names", [key])).get(key)
        return found[0] if found else None

    async def store_names(self, key: str, known: KnownNames) -> None:
        await self._store(KnownNames, "names", {key: [known]})

    async def store_texts(self, key: str, texts: Sequence[Placed]) -> None:
        await self._store(Placed, "texts", {key: texts})

    async def store_tree(self, key: str, files: Sequence[ParsedFile]) -> None:
        await self._store(StoredFile, "tree", {key: [_stored(file) for file in files]})

    async def store_files(self, files: Mapping[str, ParsedFile]) -> None:
        await self._store(StoredFile, "file", {key: [_stored(file)] for key, file in files.items()})

    async def _fetch(self, of: type[T], kind: str, keys: Sequence[str]) -> dict[str, tuple[T, ...]]:
        if self.cache is None or not keys:
            return {}
        rows = await self.cache.fetch_parsed([f"{kind}:{key}" for key in keys])
        return await asyncio.to_thread(_unpack_all, of, kind, rows)

    async def _store(self, of: type[T], kind: str, values: Mapping[str, Sequence[T]]) -> None:
        if self.cache is not None and values:
            await self.cache.store_parsed(await asyncio.to_thread(_pack_all, of, kind, values))


def _unpack_tree(name: str, rows: Mapping[str, bytes], sources: Sequence[Lines]) -> tuple[ParsedFile, ...] | None:
    with collector_off():
        stored = _unpack_all(StoredFile, "tree", rows).get(name.removeprefix("tree:"))
        if stored is None or len(stored) != len(sources):
            return None
        return tuple(_parsed(file, lines) for file, lines in zip(stored, sources, strict=True))


def _unpack_all(of: type[T], kind: str, rows: Mapping[str, bytes]) -> dict[str, tuple[T, ...]]:
    found: dict[str, tuple[T, ...]] = {}
    for name, data in rows.items():
        try:
            found[name.removeprefix(f"{kind}:")] = unpack(of, data)
        except ValueError as error:
            log.warning("a row of the cache is not used: %s", error)
    return found


def _pack_all(of: type[T], kind: str, values: Mapping[str, Sequence[T]]) -> dict[str, bytes]:
    return {f"{kind}:{key}": pack(of, held) for key, held in values.items()}


def _stored(file: ParsedFile) -> StoredFile:
    variants = tuple(StoredVariant(*(getattr(one, name) for name in _NAMES)) for one in file.variants)
    return StoredFile(**{name: getattr(file, name) for name in _NAMES}, variants=variants)


def _parsed(stored: StoredFile, source: Lines = ()) -> ParsedFile:
    variants = tuple(ParsedFile(**{name: getattr(one, name) for name in _NAMES}) for one in stored.variants)
    named = {name: getattr(stored, name) for name in _NAMES}
    return ParsedFile(**named, source=source, variants=variants)
