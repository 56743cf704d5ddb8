"""`app.jobs.work.Work` that records what it was asked and fails as it is told."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable

from app.codec import Json
from app.edges.store import Store, load_is_newest
from app.requests import Job, ReviewRequest, Superseded
from app.review.failures import Cause


class RecordingWork:
    """`fail[step]` is called before the step answers and may raise. `hold` seconds are spent in judge."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.calls: list[tuple[str, str, int]] = []  # (step, delivery, attempt)
        self.failures: list[tuple[str, float | None]] = []
        self.causes: list[Cause] = []  # of the failures
        self.published: list[str] = []  # head shas
        self.fail: dict[str, Callable[[Job], None]] = {}
        self.hold = 0.0
        self.running: defaultdict[str, int] = defaultdict(int)
        self.most: defaultdict[str, int] = defaultdict(int)

    def count(self, step: str) -> int:
        return sum(1 for name, _, _ in self.calls if name == step)

    def _note(self, step: str, job: Job) -> None:
        self.calls.append((step, job.request.delivery, job.attempt))
        if step in self.fail:
            self.fail[step](job)

    async def _check_newest(self, job: Job) -> None:
        request = job.request
        assert isinstance(request, ReviewRequest)
        if not await self.store.run(load_is_newest, request.repo_id, request.pull, job.sequence):
            raise Superseded

    async def begin(self, job: Job) -> Json:
        await self._check_newest(job)
        self._note("begin", job)
        return {"begun": True}

    async def judge(self, job: Job, begun: Json) -> Json:
        assert begun == {"begun": True}
        self._note("judge", job)
        partition = job.request.partition
        self.running[partition] += 1
        self.most[partition] = max(self.most[partition], self.running[partition])
        try:
            await asyncio.sleep(self.hold)
        finally:
            self.running[partition] -= 1
        return {"judged": True}

    async def publish(self, job: Job, begun: Json, judged: Json) -> Json:
        assert begun == {"begun": True}
        assert judged == {"judged": True}
        await self._check_newest(job)
        self._note("publish", job)
        self.published.append(job.reviewed.head_sha)
        return "pass"

    async def conclude_failed(self, job: Job, why: str, retry_in: float | None, cause: Cause = "outside") -> Json:
        self._note("conclude_failed", job)
        self.causes.append(cause)
        self.failures.append((why, retry_in))

    async def perform_other(self, job: Job) -> Json:
        self._note("perform_other", job)
