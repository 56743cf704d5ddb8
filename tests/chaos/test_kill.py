"""kill -9 at the worst moments: whatever was accepted is concluded once, by whoever is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.edges.store import Store, make_engine
from tests.chaos.worker import Outside

ROOT = Path(__file__).parent.parent.parent
WITHIN_S = 30.0


class Workers:
    """Processes of one test; all of them are gone at its end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, host: str, *, block_at: str = "-", hold: float = 0) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.worker", str(self.folder), host, block_at, str(hold)], cwd=ROOT
        )
        self.running.append(process)
        self.wait_for(f"up-{host}")
        return process

    def wait_for(self, name: str) -> None:
        until = time.monotonic() + WITHIN_S
        while not (self.folder / name).exists():
            assert time.monotonic() < until, f"never: {name}"
            time.sleep(0.02)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                self.kill(process)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    workers = Workers(tmp_path)
    yield workers
    workers.end()


def assert_concluded_once(folder: Path) -> None:
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        checks, comments, incidents, edges = Outside(folder).load()
        if checks and checks[0].output is not None and comments:
            break
        time.sleep(0.05)
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
    workers.kill(first)
    (tmp_path / "up-one").unlink()
    workers.start("one")
    assert_concluded_once(tmp_path)


def test_a_peer_takes_over_when_the_lease_runs_out(workers: Workers, tmp_path: Path) -> None:
    first = workers.start("one", block_at="fetch_tree")
    (tmp_path / "deliver").touch()
    workers.wait_for("reached")
    workers.start("two")
    workers.kill(first)  # its host is another one, so that its process id says nothing: only the lease does
    assert_concluded_once(tmp_path)


def test_a_process_that_only_slept_changes_nothing_when_it_wakes(workers: Workers, tmp_path: Path) -> None:
    sleeper = workers.start("one", hold=1)
    (tmp_path / "deliver").touch()
    workers.wait_for("judging")
    sleeper.send_signal(signal.SIGSTOP)
    workers.start("two")
    assert_concluded_once(tmp_path)
    before = Outside(tmp_path).load()
    sleeper.send_signal(signal.SIGCONT)
    time.sleep(2.5)
    assert sleeper.poll() is None
    assert Outside(tmp_path).load() == before


def test_two_living_processes_do_not_take_each_others_jobs(workers: Workers, tmp_path: Path) -> None:
    workers.start("one", hold=4)
    (tmp_path / "deliver").touch()
    workers.wait_for("judging")
    workers.start("two")
    assert_concluded_once(tmp_path)
    checks, *_ = Outside(tmp_path).load()
    assert checks[0].history == ["failure"]
    engine = make_engine(f"sqlite:///{tmp_path}/chaos.db")
    with Store(engine).begin() as connection:
        executors = connection.exec_driver_sql("SELECT recovery_attempts FROM workflow_status WHERE name = 'review'")
        assert executors.scalars().all() == [1], "nobody recovered what was not lost"
    engine.dispose()
