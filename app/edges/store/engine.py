"""One engine for the queue and for our own rows, and the door to a transaction.

SQLite needs three things that SQLAlchemy does not do by itself: WAL, `BEGIN IMMEDIATE` (so that what a transaction read is
still true when it writes, with several processes on one file), and `unixepoch` where the library is older than 3.42.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from app.words import Permanent, Transient

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")
PRAGMAS = ("synchronous=FULL", "journal_mode=WAL", "busy_timeout=30000", "foreign_keys=ON")


def is_sqlite(url: str) -> bool:
    return sa.make_url(url).get_backend_name() == "sqlite"


def make_engine(url: str) -> sa.Engine:
    """An engine for `sqlite:///path` or `postgresql://...`. Raises `Permanent` for an address that is none, and when the
    folder of a SQLite file does not exist: a mistyped path would otherwise become an empty database somewhere."""
    try:
        sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise Permanent(
            "TETHER_DATABASE_URL is not a database's address: write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE."
        ) from None
    if not is_sqlite(url):
        return sa.create_engine(
            sa.make_url(url).set(drivername="postgresql+psycopg"), pool_size=15, max_overflow=5, pool_pre_ping=True
        )
    if (path := sa.make_url(url).database) and not Path(path).parent.is_dir():
        raise Permanent(
            f"TETHER_DATABASE_URL: the folder {Path(path).parent} of the SQLite file does not exist: make it."
        )
    engine = sa.create_engine(url, pool_size=15, max_overflow=5)
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin_immediate)
    return engine


def prove_database(url: str) -> None:
    """Connects once. Raises `Permanent` with one sentence that never holds the password."""
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1")
    except (sa.exc.DBAPIError, sqlite3.Error) as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        shown = sa.make_url(url).render_as_string(hide_password=True)
        if password := sa.make_url(url).password:
            reason = reason.replace(str(password), "***")
        raise Permanent(f"TETHER_DATABASE_URL: {shown} cannot be used ({reason[:300]}).") from None
    finally:
        engine.dispose()


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # BEGIN is ours, see below
    if sqlite3.sqlite_version_info < (3, 42):
        # The queue calls unixepoch('subsec') on Python >= 3.12 whatever the library's version is.
        connection.create_function("unixepoch", -1, lambda *_: time.time())
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_immediate(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def is_for_now(error: sa.exc.SQLAlchemyError) -> bool:
    """Whether the database may answer the same question later: it is away, locked, full or out of connections.

    SQLite reports a table that is not there and a mistake in a statement as an OperationalError, too: by code 1.
    """
    if isinstance(error, sa.exc.TimeoutError):  # no connection of the pool came free
        return True
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    if isinstance(error, sa.exc.OperationalError):
        code = getattr(error.orig, "sqlite_errorcode", None)
        return code is None or code & 0xFF != sqlite3.SQLITE_ERROR
    return error.connection_invalidated


@contextmanager
def _transient() -> Iterator[None]:
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        if not is_for_now(error):
            raise
        # people see the message of a job, and an address of the inner network is none of their business
        log.warning(
            "the database cannot be used: %s", " ".join(str(getattr(error, "orig", None) or error).split())[:300]
        )
        raise Transient("Tether's own database cannot be used for now") from error


class Store:
    """Our rows. Methods of the sibling modules take the connection of a transaction of `begin`."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        # SQLite has one writer: queueing in process is fair and quick, SQLite's own busy handler naps.
        self._one_writer = threading.Lock() if engine.dialect.name == "sqlite" else None

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """A transaction, committed at the end, rolled back on an exception. Raises `Transient` while the database is away, locked
        or full.
        """
        with self._one_writer or nullcontext(), _transient(), self.engine.begin() as connection:
            yield connection

    async def run(self, work: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """`work(connection, ...)` in one transaction, in a thread: the event loop never waits for the disk."""

        def in_transaction() -> R:
            with self.begin() as connection:
                return work(connection, *args, **kwargs)

        return await asyncio.to_thread(in_transaction)


def take_turns(connection: sa.Connection, *key: object) -> None:
    """Until this transaction ends nobody else gets past the same key: what is read here is still true when it is written.

    On SQLite every transaction of ours is alone anyway.
    """
    if connection.dialect.name == "postgresql":
        digest = hashlib.sha256(repr(key).encode()).digest()[:8]
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int.from_bytes(digest, signed=True))))


def upsert_all(
    connection: sa.Connection, table: sa.Table, keys: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert the rows, all with the same columns, or set the other columns on those that have the same `keys`."""
    insert = (sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert)(table)
    others = {name: insert.excluded[name] for name in rows[0] if name not in keys}
    connection.execute(insert.on_conflict_do_update(index_elements=list(keys), set_=others), list(rows))


def upsert(connection: sa.Connection, table: sa.Table, keys: dict[str, Any], values: dict[str, Any]) -> None:
    """Insert the row, or set `values` on the one that has these `keys`."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = insert(table).values(**keys, **values)
    if values:
        statement = statement.on_conflict_do_update(index_elements=list(keys), set_=values)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=list(keys))
    connection.execute(statement)
