"""The catalog as an object: proposals in, aspects and relationships out. Thread-safe; every answer is one snapshot.

Writes of one call are one transaction: all of them stand, or none. Absent on purpose: HTTP, authentication, and the
asynchronous path of GMS (a write is complete when it is answered).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from app.catalog import reading, scrolling
from app.catalog.database import Database
from app.catalog.files import parse_proposals, read_proposals
from app.catalog.proposal import Proposal, Stored, Written
from app.catalog.reading import Text
from app.catalog.scrolling import EdgePage, EdgeQuery, EntityPage, EntityQuery, ScrollRow
from app.catalog.writing import Writer

MEMORY = ":memory:"
_LOAD_BATCH = 1000  # proposals per transaction when a file is loaded


class CatalogStore:
    """A DataHub-compatible catalog in one SQLite file; `":memory:"` keeps it in a temporary file until `close`."""

    def __init__(self, path: str | Path = MEMORY) -> None:
        self._database = Database(None if str(path) == MEMORY else path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; may be called twice."""
        self._database.close()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A snapshot, for the rooms of this catalog that ask the tables themselves."""
        return self._database.reading()

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A write transaction, for the same."""
        return self._database.writing()

    def write(self, proposals: Iterable[Proposal]) -> tuple[Written, ...]:
        """Performs all proposals in order, or none; raises `Refused`, `Conflict` or `Existing`."""
        with self._database.writing() as connection:
            writer = Writer(connection, now())
            return tuple(writer.write(proposal) for proposal in proposals)

    def delete(self, urn: str) -> tuple[int, int]:
        """Deletes an entity for good; (rows, time series rows) that went."""
        with self._database.writing() as connection:
            return Writer(connection, now()).delete_entity(urn)

    def load_file(self, path: str | Path) -> int:
        """Writes the MCPs (or MCEs) that DataHub's file sink wrote; how many. Raises `Refused` naming the place in the file."""
        return self._load(read_proposals(Path(path)))

    def load(self, items: Iterable[object], name: str) -> int:
        """As `load_file`, of items that are at hand; `name` is what messages call them."""
        return self._load(parse_proposals(items, name))

    def _load(self, proposals: Iterable[Proposal]) -> int:
        return sum(len(self.write(batch)) for batch in _batches(proposals, _LOAD_BATCH))

    def fetch_aspects(self, urns: Iterable[str], names: Sequence[str] | None = None) -> dict[str, dict[str, Stored]]:
        """urn -> aspect name -> latest version; see `reading.fetch_aspects`."""
        with self._database.reading() as connection:
            return reading.fetch_aspects(connection, urns, names)

    def fetch_texts(self, urns: Iterable[str], names: Sequence[str] | None = None) -> list[Text]:
        """As `fetch_aspects`, unparsed, for answers that pass JSON on."""
        with self._database.reading() as connection:
            return reading.fetch_texts(connection, urns, names)

    def fetch_aspect(self, urn: str, name: str, version: int = 0) -> Stored | None:
        """One version of one aspect; 0 is the latest."""
        with self._database.reading() as connection:
            return reading.fetch_aspect(connection, urn, name, version)

    def fetch_events(
        self, urn: str, name: str, *, limit: int, since: int | None = None, until: int | None = None
    ) -> tuple[Stored, ...]:
        """Events of a time series aspect, newest first."""
        with self._database.reading() as connection:
            return reading.fetch_events(connection, urn, name, limit=limit, since=since, until=until)

    def fetch_presence(self, urn: str) -> tuple[bool, bool]:
        """(has any aspect, is soft-deleted)."""
        with self._database.reading() as connection:
            return reading.fetch_presence(connection, urn)

    def scroll_edges(self, query: EdgeQuery, *, count: int, scroll_id: str | None = None) -> EdgePage:
        """One page of relationships."""
        with self._database.reading() as connection:
            return scrolling.scroll_edges(connection, query, count=count, scroll_id=scroll_id)

    def fetch_related(
        self, urn: str, names: Sequence[str], *, incoming: bool, start: int, count: int
    ) -> tuple[tuple[ScrollRow, ...], int]:
        """(a page by offset, how many in all) of one entity's relationships."""
        with self._database.reading() as connection:
            return scrolling.fetch_related(connection, urn, names, incoming=incoming, start=start, count=count)

    def scroll_entities(
        self, query: EntityQuery, *, count: int, scroll_id: str | None = None, start: int = 0
    ) -> EntityPage:
        """One page of entities."""
        with self._database.reading() as connection:
            return scrolling.scroll_entities(connection, query, count=count, scroll_id=scroll_id, start=start)


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def _batches(proposals: Iterable[Proposal], size: int) -> Iterable[list[Proposal]]:
    batch: list[Proposal] = []
    for proposal in proposals:
        batch.append(proposal)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
