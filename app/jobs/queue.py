"""The durable queue: what was accepted is done, whatever process dies meanwhile. The only module that knows DBOS.

A request becomes one workflow whose id is the delivery's, in the transaction that also moves the newest head: dedupe,
persistence and superseding are one commit. A review is a fixed list of steps (begin, judge, publish), each checkpointed. Long
waits are delayed successors, which hold no slot. A workflow in ERROR is a dead letter; `replay` runs it again.

Settled by measurement, and easily broken: WAL and BEGIN IMMEDIATE on SQLite (`edges/store`), migrations before launch because
of them, JSON checkpoints, unique executor ids with a lease, and VERSION, which must change when a workflow's steps do.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions
from dbos import error as dbos_error

from app.codec import Json, encode
from app.edges.store import (
    DEAD,
    Backlog,
    Store,
    is_sqlite,
    load_beats,
    move_head,
    upgrade,
)
from app.jobs.attempt import Outcome, attempt
from app.jobs.lease import Lease
from app.jobs.schedules import Schedule, Times, plan_schedules
from app.jobs.work import Work, head_event
from app.ports import JOB_BACKOFF
from app.requests import Job, JobRequest, SweepRequest, decode_request, is_review
from app.review.failures import Cause
from app.review.journal import name_job, quote

log = logging.getLogger(__name__)
VERSION = "1"
QUEUE = "reviews"
#: names that stand in stored rows: what was queued before an upgrade runs after it
REVIEW, OTHER, FAILED = "review", "chore", "excuse"
#: A step as the queue calls it: (request as JSON, sequence, attempt, ...) -> `Outcome` as JSON.
Step = Callable[..., Awaitable[dict[str, Any]]]


class DeadLetter(Exception):  # noqa: N818 - what it is called everywhere else
    """The job ended without success; the message says why. It is kept until it is replayed."""


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """Seconds throughout. `backoff` before each delayed successor."""

    backoff: tuple[float, ...] = JOB_BACKOFF
    step_timeout: float = 900
    per_installation: int = 4
    per_process: int = 16
    poll: float = 0.25
    beat: float = 3
    lease: float = 15
    host: str = ""
    times: Times = field(default_factory=Times)  # with one for sweeps, a start is swept after as well


class Jobs:
    """What the queue holds, for whoever looks at it: the server itself, or a command beside it. Runs no job.

    The methods block: call them in a thread. `connect` first, `close` last.
    """

    def __init__(self, url: str, store: Store) -> None:
        self._url, self._store = url, store
        self._backlog = Backlog(None if is_sqlite(url) else "dbos")

    def connect(self) -> None:
        """Before anything else; the tables must be there (a server has started once). Never inside a transaction of the
        store: on SQLite the client's own first query would wait for it for ever."""
        self._client = DBOSClient(
            system_database_engine=self._store.engine,
            application_name="tether",
            serializer=DBOSPortableJSONSerializer(),
        )

    def close(self) -> None:
        self._client.destroy()

    def health(self) -> dict[str, Any]:
        """depth, running, delayed, oldest_s, dead, and `executors`: id -> time of its last sign of life (epoch seconds)."""
        with self._store.begin() as connection:
            return {**self._backlog.load_counts(connection), "executors": load_beats(connection)}

    def dead_letters(self, limit: int = 50) -> list[dict[str, Any]]:
        """id, status, error and request of jobs that ended without success, the newest first."""
        dead = self._client.list_workflows(status=list(DEAD), limit=limit, sort_desc=True)
        return [
            {
                "id": workflow.workflow_id,
                "status": workflow.status,
                "error": str(workflow.error) if workflow.error else "its process ended each time",
                "request": workflow.input["args"][0] if workflow.input else None,
            }
            for workflow in dead
        ]

    def replay(self, workflow_id: str) -> None:
        """Runs a dead job again from its first step, under its id; raises KeyError when there is no such job."""
        job = Job(decode_request(self._input_of(workflow_id)[0]))
        self._client.rewind_workflow(workflow_id, queue_name=QUEUE, queue_partition_key=job.request.partition)

    def _input_of(self, workflow_id: str) -> list[Any]:
        found = self._client.list_workflows(workflow_ids=[workflow_id], load_output=False)
        if not found or not found[0].input:
            raise KeyError(workflow_id)
        return list(found[0].input["args"])

    def is_alive(self, delivery: str) -> bool:
        """Whether the delivery's job, or a successor that it was deferred to, waits or runs."""
        with self._store.begin() as connection:
            return self._backlog.load_is_live(connection, Job.owner_of(delivery))

    def forget(self, installation_id: int) -> int:
        """Deletes the finished and the dead jobs of an installation; how many. What still runs ends by itself."""
        with self._store.begin() as connection:
            ids = self._backlog.load_finished(connection, str(installation_id))
        self._client.delete_workflows(list(ids))
        return len(ids)

    def delete_finished(self, before: datetime) -> int:
        """Jobs that finished well before; how many. Dead letters stay."""
        gone = 0
        while done := self._client.list_workflows(
            status=["SUCCESS", "CANCELLED"],
            completed_before=before.isoformat(),
            load_input=False,
            load_output=False,
            limit=500,
        ):
            self._client.delete_workflows([workflow.workflow_id for workflow in done])
            gone += len(done)
        return gone


class Queue(Jobs):
    """The jobs, and the process that runs them. One per process; the public methods block: call them in a thread."""

    def __init__(
        self,
        url: str,
        store: Store,
        work: Work,
        options: QueueOptions = QueueOptions(),
        *,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`close` ends the work's connections, in the event loop that opened them."""
        super().__init__(url, store)
        self._work, self._options, self._end_work = work, options, close
        self._loop: asyncio.AbstractEventLoop | None = None
        self._active = 0  # steps; counted in one event loop only
        self._concluded: set[str] = set()
        self._lease = Lease(
            store,
            backlog=self._backlog,
            recover=DBOS._recover_pending_workflows,  # noqa: SLF001 - nothing public does it; the version is pinned
            sweep=self._conclude_lost,
            beat_s=options.beat,
            lease_s=options.lease,
            host=options.host,
        )

    # --- life ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Migrates, launches, and takes over what a dead process left."""
        DBOS.migrate(self._url)  # through an engine of its own: on SQLite ours begins every transaction as a writer
        upgrade(self._store.engine)
        self._lease.join()
        DBOS(
            config={
                "name": "tether",
                "system_database_url": self._url,
                "system_database_engine": self._store.engine,
                "serializer": DBOSPortableJSONSerializer(),  # the default one is pickle
                "application_version": VERSION,  # the default is a hash of the source: an edit would strand every job
                "executor_id": self._lease.id,
                "run_migrations": False,
                "max_executor_threads": 32,
                "notification_listener_polling_interval_sec": min(1.0, 4 * self._options.poll),
                "log_level": "WARNING",
            }
        )
        self._define_jobs()
        schedules = plan_schedules(self._options.times, self._store, self)
        timed = [self._define_schedule(schedule) for schedule in schedules]
        DBOS.launch()
        self.connect()
        self._open()
        DBOS.apply_schedules(timed)
        self._lease.start()
        if self._options.times.sweep:
            self.accept(SweepRequest(f"sweep:{self._lease.id}"))

    def _open(self) -> None:
        DBOS.register_queue(
            QUEUE,
            partition_concurrency=self._options.per_installation,
            worker_concurrency=self._options.per_process,
            polling_interval_sec=self._options.poll,
        )

    def stop(self, grace: int = 20) -> None:
        """Waits up to `grace` seconds for running steps; what is unfinished then is left to peers or to the next start."""
        self._lease.stop()
        until = time.monotonic() + grace
        while self._active and time.monotonic() < until:
            time.sleep(0.05)
        if self._end_work is not None and self._loop is not None and not self._active:
            asyncio.run_coroutine_threadsafe(_aclose(self._end_work), self._loop).result(timeout=10)
        self.close()
        DBOS.destroy(workflow_completion_timeout_sec=0, destroy_registry=True)
        self._lease.leave()

    # --- in --------------------------------------------------------------------------------------------------------

    def accept(self, request: JobRequest) -> Literal["accepted", "duplicate", "replayed"]:
        """Stores the request; once it has returned nothing is lost. A duplicate of a job that failed runs that job again."""
        job = Job(request)
        options = self._options_of(job, REVIEW if is_review(request) else OTHER, job.owner)
        options["workflow_id_reuse_policy"] = "reject"
        try:
            with self._store.begin() as connection:
                event = head_event(request)
                sequence = 0 if event is None else move_head(connection, event)
                self._client.enqueue_in_transaction(connection, options, encode(request), sequence, 0)
        except dbos_error.DBOSWorkflowIDInUseError:
            return "replayed" if self._replay_failed(job.owner) else "duplicate"
        return "accepted"

    def check_ready(self) -> None:
        """Raises `Transient` where a request could not be stored now, or nothing was stored for a while."""
        self._lease.check_beat()
        with self._store.begin() as connection:
            load_beats(connection)

    def _replay_failed(self, owner: str) -> bool:
        """Replays the delivery's job if that, or a successor it was deferred to, is dead."""
        ids = [owner, *(f"{owner}~{number + 1}" for number in range(len(self._options.backoff)))]
        dead = self._client.list_workflows(workflow_ids=ids, status=list(DEAD), load_input=False, load_output=False)
        for workflow in dead:
            self.replay(workflow.workflow_id)
        return bool(dead)

    def _options_of(self, job: Job, name: str, workflow_id: str, *, delay: float = 0) -> EnqueueOptions:
        options: EnqueueOptions = {
            "workflow_name": name,
            "queue_name": QUEUE,
            "workflow_id": workflow_id,
            "app_version": VERSION,
            "queue_partition_key": job.request.partition,
        }
        if delay:
            options["delay_seconds"] = delay
        return options

    # --- what runs -------------------------------------------------------------------------------------------------

    def _step(self, name: str, call: Callable[..., Awaitable[Json]]) -> Step:
        @DBOS.step(name=name, preemptible=True)
        async def run(request: dict[str, Any], sequence: int, number: int, *rest: Json) -> dict[str, Any]:
            job = Job(decode_request(request), sequence, number)
            self._loop = asyncio.get_running_loop()
            self._active += 1
            try:
                outcome = await attempt(
                    lambda: call(job, *rest),
                    timeout_s=self._options.step_timeout,
                    name=f"{name_job(job.request)}: {name}",
                )
            finally:
                self._active -= 1
            return dict(encode(outcome))

        return run

    def _define_jobs(self) -> None:
        work = self._work
        steps = [self._step(call.__name__, call) for call in (work.begin, work.judge, work.publish)]
        fail, others = self._step(FAILED, work.conclude_failed), self._step(OTHER, work.perform_other)

        @DBOS.workflow(name=REVIEW, max_recovery_attempts=5)
        async def review(request: dict[str, Any], sequence: int, number: int) -> str:
            outcome = Outcome("done")
            handed: tuple[Json, ...] = ()
            for step in steps:
                outcome = Outcome(**await step(request, sequence, number, *handed))
                if outcome.state != "done":
                    await self._conclude_failed(fail, request, sequence, number, outcome)
                    break
                handed = (*handed, outcome.value)
            return await self._end(REVIEW, request, sequence, number, outcome)

        @DBOS.workflow(name=OTHER, max_recovery_attempts=5)
        async def other(request: dict[str, Any], sequence: int, number: int) -> str:
            return await self._end(OTHER, request, sequence, number, Outcome(**await others(request, sequence, number)))

        @DBOS.workflow(name=FAILED, max_recovery_attempts=5)
        async def fail_later(
            request: dict[str, Any], sequence: int, number: int, why: str, cause: Cause = "outside"
        ) -> str:
            outcome = Outcome(**await fail(request, sequence, number, why, None, cause))
            return await self._end(FAILED, request, sequence, number, outcome, why, cause)

    async def _conclude_failed(
        self, fail: Step, request: dict[str, Any], sequence: int, number: int, outcome: Outcome
    ) -> None:
        """Says in the check run that the review did not finish; if that fails too and nothing follows, says it later."""
        delay = self._delay(number, outcome)
        reported = Outcome(**await fail(request, sequence, number, outcome.why, delay, outcome.cause))
        if reported.state != "done" and delay is None:
            job = Job(decode_request(request), sequence)
            options = self._options_of(job, FAILED, f"excuse:{DBOS.workflow_id}", delay=self._options.backoff[0])
            await DBOS.enqueue_workflow_with_options_async(options, request, sequence, 0, outcome.why, outcome.cause)

    async def _end(
        self, name: str, request: dict[str, Any], sequence: int, number: int, outcome: Outcome, *rest: Json
    ) -> str:
        """The workflow's answer: done, superseded, deferred; raises `DeadLetter` when nobody will try again."""
        about = f"{name_job(decode_request(request))}{' (its check run)' if name == FAILED else ''}"
        if outcome.state in ("done", "superseded"):
            if name != REVIEW or outcome.state != "done":  # a finished review has said its verdict
                log.info("%s: %s", about, outcome.state)
            return outcome.state
        delay = self._delay(number, outcome)
        if delay is None:
            log.warning("%s: dead letter %.80r: %s", about, DBOS.workflow_id, quote(outcome.why))
            raise DeadLetter(outcome.why)
        log.info("%s: deferred, attempt %s in %.0f s: %s", about, number + 2, delay, quote(outcome.why))
        first = str(DBOS.workflow_id).rsplit("~", 1)[0] if number else str(DBOS.workflow_id)
        options = self._options_of(Job(decode_request(request)), name, f"{first}~{number + 1}", delay=delay)
        await DBOS.enqueue_workflow_with_options_async(options, request, sequence, number + 1, *rest)
        return f"deferred~{number + 1}"

    def _delay(self, number: int, outcome: Outcome) -> float | None:
        """Seconds until the next attempt, None when there will be none."""
        if outcome.state != "wait" or number >= len(self._options.backoff):
            return None
        return max(self._options.backoff[number], outcome.retry_after or 0)

    def _conclude_lost(self) -> None:
        """A review that was given up because its process died each time left its check run open: conclude that."""
        with self._store.begin() as connection:
            lost = self._backlog.load_lost(connection)
        for workflow_id, key in lost:
            if key in self._concluded:
                continue
            request, sequence, *_ = self._input_of(workflow_id)
            options = self._options_of(Job(decode_request(request)), FAILED, key)
            why = "Tether's process ended each time it worked on this change"
            self._client.enqueue(options, request, sequence, 0, why)  # an id that is in use is left alone
            self._concluded.add(key)

    def _define_schedule(self, schedule: Schedule) -> Any:
        """As the library's scheduler takes it; every turn is a workflow, whose one step is the schedule's work."""

        @DBOS.step(name=f"run_{schedule.name}")
        async def run(at: datetime) -> None:
            await asyncio.to_thread(schedule.run, at)

        @DBOS.workflow(name=schedule.name)
        async def turn(at: datetime, _context: Json) -> None:
            await run(at)

        return {
            "schedule_name": schedule.name,
            "workflow_fn": turn,
            "schedule": schedule.cron,
            "context": None,
            "automatic_backfill": False,
        }


async def _aclose(close: Callable[[], Awaitable[None]]) -> None:
    await close()
