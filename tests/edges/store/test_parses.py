"""The cache of parsed SQL: rows of one installation, gone when it leaves, when nobody asks, and when there are too many."""

from __future__ import annotations

import time

import pytest
import sqlalchemy as sa

from app.edges.store import Store, StoredParses, forget_installation, forget_parsed, purge_parsed
from app.edges.store.parses import AT_ONCE, FRESH_S
from app.edges.store.tables import PARSED

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def ages(store: Store) -> dict[str, float]:
    with store.begin() as c:
        return {row.key: row.used_at for row in c.execute(sa.select(PARSED.c.key, PARSED.c.used_at))}


def set_age(store: Store, key: str, used_at: float) -> None:
    with store.begin() as c:
        c.execute(sa.update(PARSED).where(PARSED.c.key == key).values(used_at=used_at))


async def test_rows_come_back(store: Store) -> None:
    cache = StoredParses(store, 8)
    await cache.store_parsed({"a": b"1", "b": b"\0\xff"})

    assert await cache.fetch_parsed(["a", "b", "c"]) == {"a": b"1", "b": b"\0\xff"}
    assert await cache.fetch_parsed([]) == {}


async def test_more_rows_than_one_query_takes(store: Store) -> None:
    cache = StoredParses(store, 8)
    rows = {f"k{n}": str(n).encode() for n in range(2 * AT_ONCE + 1)}
    await cache.store_parsed(rows)

    assert await cache.fetch_parsed(list(rows)) == rows


async def test_a_row_is_replaced(store: Store) -> None:
    cache = StoredParses(store, 8)
    await cache.store_parsed({"a": b"1"})
    await cache.store_parsed({"a": b"2"})

    assert await cache.fetch_parsed(["a"]) == {"a": b"2"}


async def test_no_installation_sees_anothers(store: Store) -> None:
    await StoredParses(store, 8).store_parsed({"a": b"1"})

    assert await StoredParses(store, 9).fetch_parsed(["a"]) == {}


async def test_what_leaves_is_forgotten(store: Store) -> None:
    for installation_id in (7, 8, 9):
        await StoredParses(store, installation_id).store_parsed({"a": b"1"})
    with store.begin() as c:
        assert forget_installation(c, 8) == 1
        assert forget_parsed(c, 9) == 1

    assert await StoredParses(store, 7).fetch_parsed(["a"]) == {"a": b"1"}
    assert await StoredParses(store, 8).fetch_parsed(["a"]) == {}
    assert await StoredParses(store, 9).fetch_parsed(["a"]) == {}


async def test_being_asked_for_keeps_a_row_and_is_written_once_a_day(store: Store) -> None:
    cache = StoredParses(store, 8)
    await cache.store_parsed({"a": b"1", "b": b"2"})
    yesterday, just_now = time.time() - FRESH_S - 10, time.time() - 10
    set_age(store, "a", yesterday)
    set_age(store, "b", just_now)
    await cache.fetch_parsed(["b"])
    assert ages(store) == {"a": yesterday, "b": just_now}

    await cache.fetch_parsed(["a"])
    assert ages(store)["a"] > just_now


async def test_what_nobody_asked_for_is_purged(store: Store) -> None:
    cache = StoredParses(store, 8)
    await cache.store_parsed({"old": b"1", "new": b"2"})
    set_age(store, "old", 1_000.0)
    with store.begin() as c:
        assert purge_parsed(c, before=2_000.0) == 1

    assert await cache.fetch_parsed(["old", "new"]) == {"new": b"2"}


async def test_above_its_size_the_least_recently_used_go(store: Store) -> None:
    cache = StoredParses(store, 8)
    await cache.store_parsed({f"k{n}": b"x" * 100 for n in range(5)})
    for n in range(5):
        set_age(store, f"k{n}", 1_000.0 + n)
    with store.begin() as c:
        assert purge_parsed(c, before=0.0, most_bytes=250) == 3

    assert set(ages(store)) == {"k3", "k4"}


async def test_a_database_that_fails_is_an_empty_cache(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    with store.begin() as c:
        c.execute(sa.text("DROP TABLE tether_parsed"))
    cache = StoredParses(store, 8)
    await cache.store_parsed({"a": b"1"})

    assert await cache.fetch_parsed(["a"]) == {}
    assert "could not be read" in caplog.text
    assert "could not be written" in caplog.text
