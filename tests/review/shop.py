"""A whole review around fakes: a forge with one repository and one pull request, a catalog, and a stand-in for the judgement.

The stand-in blocks when the head's SQL says DROP: what a change means is not what these tests are about.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from app.codec import Json, encode
from app.edges.store import HeadEvent, move_head
from app.effects import ReviewFacts
from app.jobs.attempt import Outcome, attempt
from app.jobs.work import JobRunner
from app.lineage.writer import LineageWriter
from app.ports import CatalogReads, Forges, Isolation, ParseRows, Ports
from app.repair import ProvenEdge
from app.requests import CloseRequest, Job, JobRequest, ReviewRequest, is_review
from app.review.assess import Assessment, ChangeInputs
from app.review.context import ReviewContext
from app.verdict import Advice, Finding, Verdict, observe
from app.words import Evidence
from tests.databases import make_store
from tests.fakes.catalog import FakeCatalogWrites
from tests.fakes.forge import FakeForge
from tests.jobs.requests import review

DATASET = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
FEATURE = "urn:li:mlFeature:(customer,discount)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn,PROD)"
CREATE = "CREATE TABLE shop.raw.orders (id INT, discount INT);\n"
DROP = "ALTER TABLE shop.raw.orders DROP COLUMN discount;\n"


def finding() -> Finding:
    return Finding(
        rule="removed_column_is_read",
        level="block",
        message="churn loses discount",
        relation="shop.raw.orders",
        column="discount",
        dataset=DATASET,
        feature=FEATURE,
        model=MODEL,
        model_name="churn",
        trail=(DATASET, FEATURE, MODEL),
        evidence=(Evidence("migrations/2.sql", 1, DROP.strip()),),
    )


def edge() -> ProvenEdge:
    line = Evidence("features/customer.sql", 3, "select discount", "base", "acme/features", "base")
    return ProvenEdge("source", DATASET, FEATURE, FEATURE, (line,), ("discount",))


@dataclass
class StandIn:
    """Judges by the word DROP in files that changed, and leaves a row in the cache; `errors` are raised first, in turn."""

    errors: list[Exception | None] = field(default_factory=list)
    seen: list[ChangeInputs] = field(default_factory=list)
    advice: Advice | None = None
    hold: Callable[[], Awaitable[None]] | None = None

    async def __call__(
        self, change: ChangeInputs, *, catalog: CatalogReads, isolation: Isolation, cache: ParseRows | None = None
    ) -> Assessment:
        self.seen.append(change)
        if cache is not None:
            await cache.store_parsed({"parsed": b"before"})
        if self.hold is not None:
            await self.hold()
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
        drops = any("DROP" in change.head.files.get(path, "") for path in change.changed)
        findings = (finding(),) if drops else ()
        if change.extra:
            verdict = Verdict("unassessable", "Unassessable: not all was seen", findings, change.extra)
        elif drops:
            verdict = Verdict("block", "Blocked: churn would lose discount", findings)
        else:
            verdict = Verdict("pass", "Passed: nothing is lost")
        if change.config.mode == "observe":
            verdict = observe(verdict)
        facts = ReviewFacts(
            subject=change.subject,
            verdict=verdict,
            edges=(edge(),) if drops else (),
            advice=self.advice if drops else None,
            evidence_repos=(change.repo, *(repo for repo, _ in change.others)),
        )
        return Assessment(facts)


class Nothing:
    """The stand-in reads no catalog and runs no child process; asking for either is a bug."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"{name} was asked for")


class Killed(BaseException):
    """The process dies here."""


class Shop:
    """`turn` runs one job as the queue would, each step's answer through JSON; `crash` makes the process die on the way."""

    def __init__(self, path: Path, forges: Forges | None = None) -> None:
        self.store = make_store(path / "shop.db")
        self.forge, self.writes, self.judge = FakeForge(), FakeCatalogWrites(), StandIn()
        self.queued: list[JobRequest] = []
        self.slept: list[float] = []
        self.forgotten: list[int] = []
        self.unsaid: list[str] = []
        self.alive: set[str] = set()  # deliveries whose jobs are not done
        nothing = Nothing()
        catalog: CatalogReads = nothing  # type: ignore[assignment]  # fulfils nothing, on purpose
        isolation: Isolation = nothing  # type: ignore[assignment]  # fulfils nothing, on purpose
        self.context = ReviewContext(
            ports=Ports(forges or self.forge, catalog, self.writes, isolation),
            store=self.store,
            assess=self.judge,
            enqueue=self._enqueue,
            forget=self._forget,
            is_alive=self._is_alive,
            open_lineage=LineageWriter.opener(self.store, self.writes),
            watch=0.05,
            sleep=self._sleep,
        )
        self.work = JobRunner(self.context)
        self.forge.add_repo(1, "acme/warehouse", {"migrations/1.sql": CREATE, "README.md": "hello"})
        self.forge.add_repo(2, "acme/features", {"features/customer.sql": "select discount from shop.raw.orders"})

    def open_pull(
        self, number: int = 7, sha: str = "head", files: dict[str, str | bytes] | None = None, *, fork: bool = False
    ) -> ReviewRequest:
        """A pull request that drops a column, unless `files` say what else it adds."""
        base = {"migrations/1.sql": CREATE, "README.md": "hello"}
        added = {"migrations/2.sql": DROP} if files is None else files
        self.forge.add_commit(1, sha, {**base, **added}, parent="base")
        self.forge.add_pull(1, number, sha, fork=fork)
        return review(f"open{number}{sha}", sha=sha, pull=number)

    def close(self) -> None:
        self.forge.assert_all_seen()
        self.store.engine.dispose()

    async def _enqueue(self, request: JobRequest) -> None:
        self.queued.append(request)
        self.accept(request)

    async def _forget(self, installation_id: int) -> None:
        self.forgotten.append(installation_id)

    async def _is_alive(self, delivery: str) -> bool:
        return delivery in self.alive

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def accept(self, request: JobRequest, attempt: int = 0) -> Job:
        sequence = 0
        if isinstance(request, ReviewRequest | CloseRequest):
            closed = isinstance(request, CloseRequest)
            event = HeadEvent(
                request.repo_id,
                request.pull,
                request.installation_id,
                request.head_sha,
                request.updated_at,
                request.delivery,
                closed=closed,
            )
            with self.store.begin() as connection:
                sequence = move_head(connection, event)
        return Job(request, sequence, attempt)

    async def run(self, job: Job, *, lenient: bool = False, last: bool | None = None) -> Outcome:
        """The steps, in the queue's order; a step that is killed is run again from its start, as after a restart.

        `last`: whether nobody tries again (None: all but the first attempt). `lenient`: a failure that cannot be posted is noted
        in `unsaid`, for the queue says it later.
        """
        work = self.work
        if not is_review(job.request):
            return await self._step(lambda: work.perform_other(job))
        outcome = Outcome("done")
        handed: tuple[Json, ...] = ()
        for step in (work.begin, work.judge, work.publish):
            outcome = await self._step(partial(step, job, *handed))
            if outcome.state != "done":
                over = job.attempt > 0 if last is None else last
                retry = 30.0 if outcome.state == "wait" and not over else None
                said = await self._step(partial(work.conclude_failed, job, outcome.why, retry, outcome.cause))
                assert lenient or said.state == "done", said
                self.unsaid += [said.why] if said.state != "done" else []
                break
            handed = (*handed, outcome.value)
        return outcome

    async def _step(self, call: Callable[[], Awaitable[Json]]) -> Outcome:
        while True:
            try:
                outcome = await attempt(call, timeout_s=20)
            except Killed:
                continue
            return Outcome(**json.loads(json.dumps(encode(outcome))))

    async def turn(self, request: JobRequest) -> Outcome:
        return await self.run(self.accept(request))
