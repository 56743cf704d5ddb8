"""SQL that was parsed before, by installation and digest. Everything in it can be computed again, so it may forget anything.

Fulfils `app.ports.ParseCache`. Rows carry when they were last asked for; the nightly purge drops those that nobody asked
for, and the oldest above a size. Deliberately absent: what the bytes mean (`app.source.parse_cache`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import sqlalchemy as sa

from app.edges.store.engine import Store, upsert_all
from app.edges.store.tables import PARSED
from app.words import Transient

#: keys of one query, rows of one transaction: SQLite has one writer, and reviews must not wait long for it
AT_ONCE = 400
#: a row that is used every day is written once a day, not every time
FRESH_S = 86_400.0
MOST_BYTES = 1024**3
log = logging.getLogger(__name__)


class StoredParses:
    """The rows of one installation. A database that fails is an empty cache: the failure is logged and raises nothing."""

    def __init__(self, store: Store, installation_id: int) -> None:
        self._store, self._installation_id = store, installation_id

    async def fetch_parsed(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """The rows that are there."""
        found: dict[str, bytes] = {}
        try:
            for part in _parts(keys):
                found |= await self._store.run(_fetch, self._installation_id, part, time.time())
        except (Transient, sa.exc.SQLAlchemyError) as error:
            log.warning("the cache of parsed SQL could not be read: %s", type(error).__name__)
        return found

    async def store_parsed(self, rows: Mapping[str, bytes]) -> None:
        """Puts the rows there, in several transactions."""
        try:
            for part in _parts(list(rows)):
                values = [
                    {"installation_id": self._installation_id, "key": key, "value": rows[key], "used_at": time.time()}
                    for key in part
                ]
                await self._store.run(upsert_all, PARSED, ("installation_id", "key"), values)
        except (Transient, sa.exc.SQLAlchemyError) as error:
            log.warning("the cache of parsed SQL could not be written: %s", type(error).__name__)


def forget_parsed(connection: sa.Connection, installation_id: int) -> int:
    """All that was parsed for an installation; how many rows went. Which repository a row is of, nobody knows."""
    return connection.execute(sa.delete(PARSED).where(PARSED.c.installation_id == installation_id)).rowcount


def purge_parsed(connection: sa.Connection, *, before: float, most_bytes: int = MOST_BYTES) -> int:
    """Deletes what nobody has asked for since `before` (epoch seconds), and the least recently used above `most_bytes`."""
    gone = connection.execute(sa.delete(PARSED).where(PARSED.c.used_at < before)).rowcount
    size = sa.func.sum(sa.func.length(PARSED.c.value))
    kept = 0
    for used_at, held in connection.execute(
        sa.select(PARSED.c.used_at, size).group_by(PARSED.c.used_at).order_by(PARSED.c.used_at.desc())
    ).all():
        kept += held
        if kept > most_bytes:
            return gone + connection.execute(sa.delete(PARSED).where(PARSED.c.used_at <= used_at)).rowcount
    return gone


def _fetch(connection: sa.Connection, installation_id: int, keys: Sequence[str], now: float) -> dict[str, bytes]:
    mine = sa.and_(PARSED.c.installation_id == installation_id, PARSED.c.key.in_(keys))
    rows = connection.execute(sa.select(PARSED.c.key, PARSED.c.value, PARSED.c.used_at).where(mine)).all()
    if any(row.used_at < now - FRESH_S for row in rows):
        connection.execute(sa.update(PARSED).where(mine).values(used_at=now))
    return {row.key: row.value for row in rows}


def _parts(keys: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while part := list(islice(rest, AT_ONCE)):
        yield part
