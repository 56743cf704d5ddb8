"""kill -9 at the worst moments: whatever was accepted is concluded once, by whoever is left."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.edges.store import Store, make_engine
from tests.chaos.worker import Outside

ROOT = Path(__file__).parent.parent.parent
#: for what has to come, on a machine that has much else to do
WITHIN_S = 120.0


class Worker:
    """A process that is not ours to wait for: the nursery forgets it as soon as it is dead."""

    def __init__(self, process_id: int) -> None:
        self._id = process_id

    def is_alive(self) -> bool:
        try:
            os.kill(self._id, 0)
        except ProcessLookupError:
            return False
        return True

    def stop(self) -> None:
        os.kill(self._id, signal.SIGSTOP)

    def wake(self) -> None:
        os.kill(self._id, signal.SIGCONT)

    def kill(self) -> None:
        os.kill(self._id, signal.SIGKILL)
        wait_until(lambda: not self.is_alive(), "dead")


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + WITHIN_S
    while not is_so():
        assert time.monotonic() < until, f"never: {what}"
        time.sleep(0.02)


class Workers:
    """Processes of one test; all of them are gone at its end."""

    def __init__(self, folder: Path, nursery: subprocess.Popen[str]) -> None:
        self.folder = folder
        self._nursery = nursery
        self._started: list[Worker] = []

    def start(self, host: str, *, block_at: str = "", hold: float = 0, lease: float = 2) -> Worker:
        assert self._nursery.stdin
        assert self._nursery.stdout
        print(json.dumps([str(self.folder), host, block_at, hold, lease]), file=self._nursery.stdin, flush=True)
        worker = Worker(int(self._nursery.stdout.readline()))
        self._started.append(worker)
        self.wait_for(f"up-{host}")
        return worker

    def wait_for(self, name: str) -> None:
        wait_until((self.folder / name).exists, name)

    def end(self) -> None:
        for worker in self._started:
            if worker.is_alive():
                worker.kill()


@pytest.fixture(scope="module")
def nursery() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.chaos.nursery"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


@pytest.fixture
def workers(tmp_path: Path, nursery: subprocess.Popen[str]) -> Iterator[Workers]:
    workers = Workers(tmp_path, nursery)
    yield workers
    workers.end()


def has_everything(folder: Path) -> bool:
    checks, comments, incidents, edges = Outside(folder).load()
    return bool(checks and checks[0].output is not None and comments and incidents and edges)


def assert_concluded_once(folder: Path) -> None:
    wait_until(lambda: has_everything(folder), f"all effects: {Outside(folder).load()}")
    time.sleep(0.5)  # a second conclusion would come now
    checks, comments, incidents, edges = Outside(folder).load()
    (check,) = checks
    assert check.output is not None
    assert check.output.conclusion == "failure"
    assert len(check.annotations) == 1
    assert len(comments) == 1
    assert [len(pulls) for pulls in incidents.values()] == [1]
    assert len(edges) == 1


#: the review's own tests die at every call; these are the ones where a process and its database are worth the seconds
@pytest.mark.parametrize("moment", ["fetch_tree", "conclude_check_run_answer", "create_comment_answer"])
def test_a_killed_review_is_concluded_once_after_a_restart(workers: Workers, tmp_path: Path, moment: str) -> None:
    first = workers.start("one", block_at=moment)
    (tmp_path / "deliver").touch()
    workers.wait_for("reached")
    first.kill()
    (tmp_path / "up-one").unlink()
    workers.start("one")
    assert_concluded_once(tmp_path)


def test_a_peer_takes_over_when_the_lease_runs_out(workers: Workers, tmp_path: Path) -> None:
    first = workers.start("one", block_at="fetch_tree")
    (tmp_path / "deliver").touch()
    workers.wait_for("reached")
    workers.start("two")
    first.kill()  # its host is another one, so that its process id says nothing: only the lease does
    assert_concluded_once(tmp_path)


def stop_between_writes(worker: Worker, database: Path) -> None:
    """A process that is stopped while it writes keeps the whole database locked: then it is let go on, and stopped again."""
    until = time.monotonic() + WITHIN_S
    while True:
        worker.stop()
        with closing(sqlite3.connect(database, timeout=0.1, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                assert time.monotonic() < until, "never: a moment without a write"
                worker.wake()
            else:
                connection.execute("ROLLBACK")
                return


def test_a_process_that_only_slept_changes_nothing_when_it_wakes(workers: Workers, tmp_path: Path) -> None:
    sleeper = workers.start("one", hold=1)
    (tmp_path / "deliver").touch()
    workers.wait_for("judging")
    stop_between_writes(sleeper, tmp_path / "chaos.db")
    workers.start("two")
    assert_concluded_once(tmp_path)
    before = Outside(tmp_path).load()
    sleeper.wake()
    time.sleep(2.5)
    assert sleeper.is_alive()
    assert Outside(tmp_path).load() == before


def test_two_living_processes_do_not_take_each_others_jobs(workers: Workers, tmp_path: Path) -> None:
    workers.start("one", hold=6, lease=4)  # longer than its lease, which a busy machine gives it the time to renew
    (tmp_path / "deliver").touch()
    workers.wait_for("judging")
    workers.start("two", lease=4)
    assert_concluded_once(tmp_path)
    checks, *_ = Outside(tmp_path).load()
    assert checks[0].history == ["failure"]
    engine = make_engine(f"sqlite:///{tmp_path}/chaos.db")
    with Store(engine).begin() as connection:
        executors = connection.exec_driver_sql("SELECT recovery_attempts FROM workflow_status WHERE name = 'review'")
        assert executors.scalars().all() == [1], "nobody recovered what was not lost"
    engine.dispose()
