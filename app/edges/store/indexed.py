"""The rows of the index: what each repository's default branch held at a commit, and texts under their content address.

Fulfils `app.source.repo_files.org.KeptIndex`. Texts can be fetched from GitHub again, so the nightly purge drops those that
nobody asked for, and the oldest above a size. Listings stay until their repository leaves. Deliberately absent: which files
count, and whether a commit is still the head (`app.source.repo_files`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

import sqlalchemy as sa

from app.edges.store.engine import Store, upsert, upsert_all
from app.edges.store.tables import INDEX, INDEX_TEXT
from app.ports import TreeEntry, TreeListing
from app.words import Repo, Transient

#: texts of one query, and of one transaction: SQLite has one writer, and reviews must not wait long for it
AT_ONCE = 200
#: a text that is used every day is marked once a day
FRESH_S = 86_400.0
#: of all texts of all installations, packed
MOST_BYTES = 2 * 1024**3
_LEVEL = 1
log = logging.getLogger(__name__)


class StoredIndex:
    """One installation's rows. A database that fails is an empty index: the failure is logged and raises nothing, for all of
    it can be fetched again."""

    def __init__(self, store: Store, installation_id: int) -> None:
        self._store, self._installation_id = store, installation_id

    async def fetch_listing(self, repo_id: int, commit: str) -> TreeListing | None:
        """What the repository held at this commit, if that is the one that was listed last."""
        row = None
        with _logged("read"):
            row = await self._store.run(_load_listing, self._installation_id, repo_id, commit)
        if row is None:
            return None
        entries = await asyncio.to_thread(_unpack, row.listing)
        return TreeListing(commit, entries, bool(row.truncated))

    async def store_listing(self, repo: Repo, listing: TreeListing, commit: str) -> None:
        """In place of what was listed before."""
        packed = await asyncio.to_thread(_pack, listing)
        keys = {"installation_id": self._installation_id, "repo_id": repo.id}
        values = {
            "commit_sha": commit,
            "truncated": listing.truncated,
            "listing": packed,
            "indexed_at": time.time(),
        }
        with _logged("written"):
            await self._store.run(upsert, INDEX, keys, values)

    async def fetch_contents(self, repo_id: int, shas: Collection[str]) -> Mapping[str, bytes]:
        """Those that are there."""
        found: dict[str, bytes] = {}
        with _logged("read"):
            for part in _parts(shas):
                rows = await self._store.run(_load_texts, self._installation_id, repo_id, part, time.time())
                found |= await asyncio.to_thread(_unzip_all, rows)
        return found

    async def store_contents(self, repo_id: int, contents: Mapping[str, bytes]) -> None:
        """In several transactions."""
        with _logged("written"):
            for part in _parts(contents):
                rows = await asyncio.to_thread(self._rows, repo_id, part, contents)
                await self._store.run(upsert_all, INDEX_TEXT, ("installation_id", "repo_id", "sha"), rows)

    def _rows(self, repo_id: int, shas: Collection[str], contents: Mapping[str, bytes]) -> list[dict[str, Any]]:
        own = {"installation_id": self._installation_id, "repo_id": repo_id, "used_at": time.time()}
        return [{**own, "sha": sha, "content": zlib.compress(contents[sha], _LEVEL)} for sha in shas]


@contextmanager
def _logged(what: str) -> Iterator[None]:
    try:
        yield
    except (Transient, sa.exc.SQLAlchemyError) as error:
        log.warning("the index could not be %s: %s", what, type(error).__name__)


def load_indexed(connection: sa.Connection, installation_id: int) -> Mapping[int, str]:
    """repository id -> the commit that its listing is of."""
    rows = connection.execute(
        sa.select(INDEX.c.repo_id, INDEX.c.commit_sha).where(INDEX.c.installation_id == installation_id)
    )
    return {row.repo_id: row.commit_sha for row in rows}


def forget_unlisted(connection: sa.Connection, installation_id: int, listed: Collection[int]) -> int:
    """Deletes the index of repositories that the installation no longer includes; how many rows went."""
    gone = 0
    for repo_id in load_indexed(connection, installation_id).keys() - set(listed):
        for table in (INDEX, INDEX_TEXT):
            mine = sa.and_(table.c.installation_id == installation_id, table.c.repo_id == repo_id)
            gone += connection.execute(sa.delete(table).where(mine)).rowcount
    return gone


def purge_texts(connection: sa.Connection, *, before: float, most_bytes: int = MOST_BYTES) -> int:
    """Deletes texts that nobody has asked for since `before` (epoch seconds), and the oldest above `most_bytes`."""
    gone = connection.execute(sa.delete(INDEX_TEXT).where(INDEX_TEXT.c.used_at < before)).rowcount
    size = sa.func.sum(sa.func.length(INDEX_TEXT.c.content))
    kept = 0
    for used_at, held in connection.execute(
        sa.select(INDEX_TEXT.c.used_at, size).group_by(INDEX_TEXT.c.used_at).order_by(INDEX_TEXT.c.used_at.desc())
    ).all():
        kept += held
        if kept > most_bytes:
            return gone + connection.execute(sa.delete(INDEX_TEXT).where(INDEX_TEXT.c.used_at <= used_at)).rowcount
    return gone


def _load_listing(connection: sa.Connection, installation_id: int, repo_id: int, commit: str) -> Any:
    return connection.execute(
        sa.select(INDEX).where(
            INDEX.c.installation_id == installation_id, INDEX.c.repo_id == repo_id, INDEX.c.commit_sha == commit
        )
    ).one_or_none()


def _load_texts(
    connection: sa.Connection, installation_id: int, repo_id: int, shas: Collection[str], now: float
) -> dict[str, bytes]:
    mine = sa.and_(
        INDEX_TEXT.c.installation_id == installation_id, INDEX_TEXT.c.repo_id == repo_id, INDEX_TEXT.c.sha.in_(shas)
    )
    rows = connection.execute(sa.select(INDEX_TEXT.c.sha, INDEX_TEXT.c.content, INDEX_TEXT.c.used_at).where(mine)).all()
    if any(row.used_at < now - FRESH_S for row in rows):
        connection.execute(sa.update(INDEX_TEXT).where(mine).values(used_at=now))
    return {row.sha: row.content for row in rows}


def _pack(listing: TreeListing) -> bytes:
    rows = [[entry.path, entry.sha, entry.mode, entry.size] for entry in listing.entries]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), _LEVEL)


def _unpack(packed: bytes) -> tuple[TreeEntry, ...]:
    return tuple(TreeEntry(*row) for row in json.loads(zlib.decompress(packed)))


def _unzip_all(rows: Mapping[str, bytes]) -> dict[str, bytes]:
    return {sha: zlib.decompress(content) for sha, content in rows.items()}


def _parts(shas: Collection[str]) -> Iterator[list[str]]:
    rest = iter(sorted(shas))
    while part := list(islice(rest, AT_ONCE)):
        yield part
