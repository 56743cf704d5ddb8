"""The same queue and the same rows on Postgres: nothing but the URL differs. See `tests/postgres.py`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from app.edges.store import (
    CheckKey,
    HeadEvent,
    Store,
    claim_check,
    load_beats,
    load_is_current,
    make_engine,
    move_head,
    upgrade,
)
from app.edges.store.migrate import VERSION_TABLE
from app.edges.store.tables import METADATA, PREFIX
from app.jobs.queue import Queue, QueueOptions
from app.requests import Job
from app.words import Transient
from tests.fakes.work import RecordingWork
from tests.jobs.requests import review
from tests.jobs.test_queue import failing, settle
from tests.postgres import ABSENT, blinking_postgres, find_programs, serving_postgres

pytestmark = pytest.mark.skipif(find_programs() is None, reason=ABSENT)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving_postgres() as url:
        yield url


@pytest.fixture(scope="module")
def store(server: str) -> Iterator[Store]:
    """Migrated, whichever of these tests a worker runs first."""
    engine = make_engine(server)
    upgrade(engine)
    yield Store(engine)
    engine.dispose()


@pytest.fixture
def empty() -> Iterator[sa.Engine]:
    with serving_postgres() as url:
        engine = make_engine(url)
        yield engine
        engine.dispose()


def test_starting_together_migrates_once_and_models_agree(empty: sa.Engine) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: upgrade(empty), range(3)))
    assert load_is_current(empty)
    with empty.connect() as connection:
        options = {
            "version_table": VERSION_TABLE,
            "include_name": lambda name, kind, _: kind != "table" or name.startswith(PREFIX),
            "compare_type": True,
        }
        assert compare_metadata(MigrationContext.configure(connection, opts=options), METADATA) == []


def test_a_review_a_burst_and_a_retry(server: str, store: Store) -> None:
    work = RecordingWork(store)
    queue = Queue(server, store, work, QueueOptions(backoff=(0.1,), poll=0.05, beat=0.3))
    queue.start()
    work.fail["judge"] = failing(1, Transient("away"))
    assert [queue.accept(review("one")), queue.accept(review("one"))] == ["accepted", "duplicate"]
    settle(queue)
    work.hold = 0.3
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: queue.accept(review(f"d{n}", sha=f"sha{n}", pull=8, second=n)), range(20)))
    settle(queue)
    queue.stop(grace=0)
    assert work.published == ["a" * 40, "sha19"]


def test_a_database_that_blinks_loses_and_kills_no_job() -> None:
    """Stopped and started three times while reviews run: each is published, none is a dead letter."""
    with blinking_postgres() as server:
        store = Store(make_engine(server.url))
        work = RecordingWork(store)

        def use_database(_: Job) -> None:
            for _turn in range(20):
                time.sleep(0.05)
                with store.begin() as connection:
                    load_beats(connection)

        work.fail["judge"] = use_database
        queue = Queue(server.url, store, work, QueueOptions(backoff=(0.5,) * 12, poll=0.05, beat=0.3))
        queue.start()
        for number in range(6):
            accept_at_last(queue, number)
            if number % 2:
                time.sleep(0.6)
                server.stop()
                time.sleep(0.5)
                server.start()
        settle(queue, within=90)
        queue.stop(grace=0)
        store.engine.dispose()

    assert sorted(set(work.published)) == [f"sha{number}" for number in range(6)]


def accept_at_last(queue: Queue, number: int) -> None:
    """As GitHub and the sweep do: until it is stored."""
    for _ in range(60):
        with suppress(Transient):
            assert queue.accept(review(f"b{number}", sha=f"sha{number}", pull=20 + number)) == "accepted"
            return
        time.sleep(0.1)
    raise AssertionError("never accepted")


def test_events_of_one_pull_request_get_different_numbers(store: Store) -> None:
    def move(number: int) -> int:
        with store.begin() as connection:
            return move_head(connection, HeadEvent(5, 5, 9, f"s{number}", "2026-01-01T00:00:00Z", "d"))

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(move, range(24))) == list(range(1, 25))


def test_one_claim_at_a_time_among_connections(store: Store) -> None:
    together = threading.Barrier(6)

    def claim(number: int) -> bool:
        together.wait()
        with store.begin() as connection:
            time.sleep(0.02)
            return claim_check(connection, CheckKey(9, 6, "abc", "tether"), str(number)) is not None

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(claim, range(6))) == 1
