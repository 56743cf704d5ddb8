"""The queue's contract: nothing accepted is lost or done twice, newest head wins, failures wait, die visibly, come back."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from dbos import DBOS, DBOSClient

from app.edges.store import Store
from app.jobs.queue import Jobs, Queue, QueueOptions
from app.jobs.retention import KEEP_DAYS, purge
from app.requests import Job
from app.words import Permanent, Transient
from tests.databases import copy_migrated_queue
from tests.fakes.work import RecordingWork
from tests.jobs.requests import close, review

QUICK = QueueOptions(backoff=(0.1, 0.1), step_timeout=20, poll=0.05, beat=0.3, lease=5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    engine = copy_migrated_queue(tmp_path / "queue.db")
    yield Store(engine)
    engine.dispose()


@pytest.fixture
def work(store: Store) -> RecordingWork:
    return RecordingWork(store)


@pytest.fixture
def queue(store: Store, work: RecordingWork, tmp_path: Path) -> Iterator[Queue]:
    queue = Queue(f"sqlite:///{tmp_path}/queue.db", store, work, QUICK)
    queue.start()
    yield queue
    queue.stop(grace=0)


def settle(queue: Queue, *, dead: int = 0, within: float = 20) -> None:
    """Waits until nothing is waiting or running."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        health = queue.health()
        if health["depth"] == 0:
            assert health["dead"] == dead
            return
        time.sleep(0.05)
    raise AssertionError(f"still busy: {queue.health()}")


def failing(times: int, error: Exception) -> Callable[[Job], None]:
    left = [times]

    def fail(_: Job) -> None:
        if left[0] > 0:
            left[0] -= 1
            raise error

    return fail


def test_a_review_runs_its_three_steps_once(queue: Queue, work: RecordingWork) -> None:
    assert queue.accept(review()) == "accepted"
    settle(queue)
    assert [step for step, _, _ in work.calls] == ["begin", "judge", "publish"]


def test_forty_posts_of_one_delivery_are_one_job(queue: Queue, work: RecordingWork) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: queue.accept(review()), range(40)))
    settle(queue)
    assert sorted(answers) == ["accepted"] + ["duplicate"] * 39
    assert work.count("publish") == 1
    assert queue.accept(review()) == "duplicate", "also after it is done"


def test_of_a_burst_of_heads_only_the_newest_is_published(queue: Queue, work: RecordingWork) -> None:
    work.hold = 0.3
    with ThreadPoolExecutor(8) as pool:
        seconds = [*range(0, 30, 2), *range(29, 0, -2)]  # out of order, as GitHub delivers
        list(pool.map(lambda n: queue.accept(review(f"d{n}", sha=f"sha{n}", second=n)), seconds))
    settle(queue)
    assert work.published == ["sha29"]


def test_closing_supersedes_the_running_review(
    queue: Queue, work: RecordingWork, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "app")
    work.hold = 0.5
    queue.accept(review())
    queue.accept(close())
    settle(queue)
    assert work.published == []
    assert work.count("perform_other") == 1
    said = caplog.messages
    assert any(line.startswith("review of ") and line.endswith(": superseded") for line in said)
    assert any(line.startswith("close of ") and line.endswith(": done") for line in said)


def test_one_installation_does_not_take_all_slots(queue: Queue, work: RecordingWork) -> None:
    work.hold = 0.1
    for number in range(12):
        queue.accept(review(f"noisy{number}", pull=number, installation=1))
    queue.accept(review("quiet", pull=99, installation=2))
    settle(queue)
    assert len(work.published) == 13
    assert work.most["1"] <= QUICK.per_installation
    order = [delivery for step, delivery, _ in work.calls if step == "publish"]
    assert order.index("quiet") < 12


@pytest.mark.parametrize("step", ["begin", "judge", "publish"])
def test_an_outage_is_reported_and_the_job_is_tried_again_later(queue: Queue, work: RecordingWork, step: str) -> None:
    """A step is called once in each attempt: what is worth asking again at once, the adapters have asked again."""
    work.fail[step] = failing(1, Transient("the catalog is away"))
    queue.accept(review())
    settle(queue)
    assert work.count(step) == 2
    assert work.failures == [("the catalog is away", 0.1)]
    assert work.published == ["a" * 40]
    assert max(attempt for _, _, attempt in work.calls) == 1


def test_waits_retries_and_dead_letters_are_in_the_log(
    queue: Queue, work: RecordingWork, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "app")
    work.fail["judge"] = failing(10**6, Transient("away\nINFO forged " + "x" * 5000))
    queue.accept(review())
    settle(queue, dead=1)
    said = [(record.levelname, record.getMessage()) for record in caplog.records if record.name.startswith("app.job")]

    assert work.count("judge") == 3
    assert sum(": deferred, attempt " in line for _, line in said) == 2
    (dead,) = [line for level, line in said if level == "WARNING"]
    assert "dead letter 'gh:d1~2': 'away\\nINFO forged xxx" in dead
    assert all("\n" not in line and len(line) < 600 for _, line in said)


def test_an_outage_without_end_is_a_dead_letter_and_a_replay_finishes_it(queue: Queue, work: RecordingWork) -> None:
    work.fail["judge"] = failing(10**6, Transient("the catalog is away"))
    queue.accept(review())
    settle(queue, dead=1)
    assert [retry for _, retry in work.failures] == [0.1, 0.1, None]
    (letter,) = queue.dead_letters()
    assert letter["id"] == "gh:d1~2"
    assert letter["error"] == "the catalog is away"
    assert letter["request"]["pull"] == 7
    work.fail.clear()
    queue.replay(letter["id"])
    settle(queue)
    assert work.published == ["a" * 40]
    assert queue.dead_letters() == []


def test_a_redelivery_of_a_dead_job_runs_it_again(queue: Queue, work: RecordingWork) -> None:
    work.fail["begin"] = failing(1, Permanent("the App may not write checks"))
    queue.accept(review())
    settle(queue, dead=1)
    assert work.failures == [("the App may not write checks", None)]
    assert queue.accept(review()) == "replayed"
    settle(queue)
    assert work.published == ["a" * 40]


def test_a_bug_is_a_dead_letter_that_names_no_secret(queue: Queue, work: RecordingWork) -> None:
    work.fail["publish"] = failing(1, ValueError("token ghs_secret"))
    queue.accept(review())
    settle(queue, dead=1)
    ((why, retry),) = work.failures
    assert retry is None
    assert "ValueError" in why
    assert "ghs_secret" not in why
    assert work.causes == ["bug"]


def test_a_report_that_fails_too_is_made_later(queue: Queue, work: RecordingWork) -> None:
    work.fail["judge"] = failing(1, Permanent("no"))
    work.fail["conclude_failed"] = failing(2, Transient("GitHub is away"))
    queue.accept(review())
    settle(queue, dead=1)
    assert (work.failures, work.causes) == ([("no", None)], ["outside"])


def test_a_report_of_a_bug_that_is_made_later_still_tells_of_a_bug(queue: Queue, work: RecordingWork) -> None:
    work.fail["judge"] = failing(1, KeyError("no"))
    work.fail["conclude_failed"] = failing(2, Transient("GitHub is away"))
    queue.accept(review())
    settle(queue, dead=1)
    assert ([why for why, _ in work.failures], work.causes) == (["KeyError; the log of Tether says more"], ["bug"])


def test_a_step_that_takes_too_long_is_tried_again_later(store: Store, work: RecordingWork, tmp_path: Path) -> None:
    options = QueueOptions(backoff=(0.1,), step_timeout=0.3, poll=0.05)
    queue = Queue(f"sqlite:///{tmp_path}/queue.db", store, work, options)
    queue.start()
    work.hold = 30
    queue.accept(review())
    settle(queue, dead=1)
    queue.stop(grace=0)
    assert [retry for _, retry in work.failures] == [0.1, None]
    assert "longer than 0.3 seconds" in work.failures[0][0]


def test_what_was_accepted_survives_a_restart(store: Store, work: RecordingWork, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/queue.db"
    first = Queue(url, store, work, QUICK)
    first.start()
    work.hold = 60
    first.accept(review())
    while not work.count("judge"):
        time.sleep(0.02)
    first.stop(grace=0)
    work.hold = 0
    second = Queue(url, store, work, QUICK)
    second.start()
    settle(second)
    second.stop(grace=0)
    assert work.count("begin") == 1, "a finished step is not repeated"
    assert work.count("judge") == 2
    assert work.published == ["a" * 40]


def test_a_review_that_kills_its_process_each_time_is_reported_once(
    queue: Queue, store: Store, work: RecordingWork
) -> None:
    work.fail["begin"] = failing(1, Permanent("no"))
    queue.accept(review())
    settle(queue, dead=1)
    work.failures.clear()
    with store.begin() as connection:
        connection.execute(
            sa.text("UPDATE workflow_status SET status = 'MAX_RECOVERY_ATTEMPTS_EXCEEDED' WHERE name = 'review'")
        )
    until = time.monotonic() + 10
    while not work.failures and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(3 * QUICK.beat)
    ((why, retry),) = work.failures
    assert "process ended" in why
    assert retry is None
    queue.replay("gh:d1")
    settle(queue)
    assert work.published == ["a" * 40]


def test_jobs_can_be_looked_at_and_replayed_from_another_process(
    queue: Queue, store: Store, work: RecordingWork, tmp_path: Path
) -> None:
    work.fail["judge"] = failing(1, Permanent("no"))
    queue.accept(review())
    settle(queue, dead=1)
    jobs = Jobs(f"sqlite:///{tmp_path}/queue.db", store)
    jobs.connect()
    (letter,) = jobs.dead_letters()
    jobs.replay(letter["id"])
    settle(queue)
    assert work.published == ["a" * 40]
    with pytest.raises(KeyError):
        jobs.replay("gh:unheard-of")
    jobs.close()


def test_an_installation_that_left_leaves_no_job(queue: Queue, store: Store, work: RecordingWork) -> None:
    work.fail["judge"] = failing(1, Permanent("no"))
    queue.accept(review("dead", installation=1))
    settle(queue, dead=1)
    queue.accept(review("fine", pull=8, installation=1))
    queue.accept(review("other", pull=9, installation=2))
    settle(queue, dead=1)
    assert queue.forget(1) == 2
    with store.begin() as connection:
        left = connection.execute(sa.text("SELECT workflow_uuid FROM workflow_status WHERE name = 'review'"))
        assert left.scalars().all() == ["gh:other"]


def test_health_counts_what_waits_and_how_long(queue: Queue, work: RecordingWork) -> None:
    assert queue.health()["oldest_s"] is None
    work.hold = 0.5
    queue.accept(review())
    health = queue.health()
    assert health["depth"] == 1
    assert health["oldest_s"] >= 0
    assert len(health["executors"]) == 1
    settle(queue)


def test_the_private_parts_of_dbos_that_are_relied_on() -> None:
    """`_recover_pending_workflows` is the only way to take over; a new version must be looked at before it is allowed."""
    (parameter,) = inspect.signature(DBOS._recover_pending_workflows).parameters.values()  # noqa: SLF001 - see the docstring
    assert parameter.name == "executor_ids"
    assert "run_migrations" in inspect.getsource(inspect.getmodule(DBOS))  # type: ignore[arg-type]  # never None here
    assert "workflow_id_reuse_policy" in inspect.getsource(DBOSClient)


def test_finished_jobs_are_purged_after_their_days(queue: Queue, store: Store) -> None:
    queue.accept(review())
    settle(queue)
    assert purge(store, queue, datetime.now(UTC)) == 0
    assert queue.accept(review()) == "duplicate"
    assert purge(store, queue, datetime.now(UTC) + timedelta(days=KEEP_DAYS + 1)) == 1
    with store.begin() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM workflow_status WHERE name = 'review'")).scalar() == 0
