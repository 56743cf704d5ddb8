"""The one SQLite file: its tables, its connections, its transactions.

WAL with `synchronous=FULL`: what was answered with 2xx is on disk, also after kill -9 and power loss. One writer at a time
(a lock in this process, `BEGIN IMMEDIATE` across processes); readers have their own connections and never wait for it.
`edge` is a pure function of `aspect`: it can be drawn again at any time from the rows it comes from.
Absent on purpose: Alembic. The file is a sandbox's, `user_version` refuses a file of another layout.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LAYOUT = 1

_TABLES = """
CREATE TABLE node (               -- every urn that has an aspect or that an edge names
  id INTEGER PRIMARY KEY,
  urn TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  present INTEGER NOT NULL DEFAULT 0,   -- has at least one aspect
  removed INTEGER NOT NULL DEFAULT 0    -- status.removed
) STRICT;
CREATE INDEX node_by_type ON node (type, urn) WHERE present = 1;
CREATE TABLE aspect (             -- the latest version of each versioned aspect
  id INTEGER PRIMARY KEY,
  node INTEGER NOT NULL REFERENCES node,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  run TEXT NOT NULL,
  written INTEGER NOT NULL,       -- milliseconds since the epoch
  value TEXT NOT NULL,
  system TEXT NOT NULL,
  UNIQUE (node, name)
) STRICT;
CREATE INDEX aspect_by_run ON aspect (run);
CREATE TABLE history (            -- earlier versions
  node INTEGER NOT NULL REFERENCES node,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  run TEXT NOT NULL,
  value TEXT NOT NULL,
  system TEXT NOT NULL,
  UNIQUE (node, name, version)
) STRICT;
CREATE TABLE series (             -- time series aspects: appended, a repeated event is one row
  id INTEGER PRIMARY KEY,
  node INTEGER NOT NULL REFERENCES node,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,            -- timestampMillis of the event
  run TEXT NOT NULL,
  value TEXT NOT NULL,
  system TEXT NOT NULL,
  UNIQUE (node, name, at, value)
) STRICT;
CREATE INDEX series_by_run ON series (run);
CREATE TABLE edge (               -- ids are never used again, so a scroll that continues after one misses nothing
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER NOT NULL REFERENCES node,   -- the entity whose aspect draws it
  aspect TEXT NOT NULL,
  source INTEGER NOT NULL REFERENCES node,
  name TEXT NOT NULL,
  destination INTEGER NOT NULL REFERENCES node,
  lineage INTEGER NOT NULL,       -- 1 destination is upstream, -1 downstream, 0 no lineage
  via TEXT,
  UNIQUE (owner, aspect, source, name, destination)
) STRICT;
CREATE INDEX edge_out ON edge (source, name);
CREATE INDEX edge_in ON edge (destination, name);
"""


class UnusableFile(ValueError):  # noqa: N818 - it is not an error of this program
    """The file cannot be opened, is no SQLite database, or not one of this catalog's; the message says which."""


class Database:
    """Connections to one file. `path=None` keeps it in a temporary directory that `close` deletes. Raises `UnusableFile`."""

    def __init__(self, path: str | Path | None) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="tether-catalog-") if path is None else None
        self._path = Path(self._directory.name) / "catalog.db" if self._directory else Path(str(path))
        # A temporary file is gone after a crash anyway: syncing it would only cost time.
        self._synchronous = "OFF" if self._directory else "FULL"
        self._writing = threading.Lock()
        self._pooling = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        if not self._path.parent.is_dir():
            raise UnusableFile(f"the folder {self._path.parent} does not exist")
        try:
            self._writer = self._connect()
        except sqlite3.Error as error:
            raise UnusableFile(f"{self._path} cannot be used ({error})") from None
        try:
            self._create_tables()
        except BaseException:
            self._writer.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with self._writing:
            self._require_open()
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent snapshot."""
        connection = self._borrow()
        try:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Closes every connection; a temporary file is deleted. May be called twice."""
        with self._writing, self._pooling:
            self._closed = True
            for connection in (*self._idle, self._writer):
                connection.close()
            self._idle.clear()
            if self._directory:
                self._directory.cleanup()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=60, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")  # before the next, which writes the file
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA cache_size = -65536")  # 64 MiB
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _create_tables(self) -> None:
        # Two processes may open a new file at once: the layout is looked at inside the write transaction.
        self._writer.execute("BEGIN IMMEDIATE")
        layout = self._writer.execute("PRAGMA user_version").fetchone()[0]
        taken = self._writer.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if layout == 0 and not taken:
            for statement in _statements(_TABLES):
                self._writer.execute(statement)
            self._writer.execute(f"PRAGMA user_version = {LAYOUT}")
        self._writer.execute("COMMIT")
        if (layout, bool(taken)) not in {(0, False), (LAYOUT, True)}:
            raise UnusableFile(
                f"{self._path} is not a Tether catalog of layout {LAYOUT} (it has {layout}): use another file"
            )

    def _borrow(self) -> sqlite3.Connection:
        with self._pooling:
            self._require_open()
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._pooling:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _require_open(self) -> None:
        if self._closed:
            raise ValueError("the catalog is closed")


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
