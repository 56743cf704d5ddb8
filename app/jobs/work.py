"""What the queue runs: the steps of a review, their answers as JSON, and everything else that a delivery asks for."""

from __future__ import annotations

from typing import Protocol

from app.codec import Json, decode, encode
from app.edges.store import HeadEvent
from app.effects import ReviewFacts
from app.jobs.deliveries import perform_other
from app.requests import CloseRequest, Job, JobRequest, ReviewRequest
from app.review.context import Begun, ReviewContext
from app.review.failures import Cause
from app.review.review import Reviews


class Work(Protocol):
    """What the queue runs. Every method may be run again from its start after a crash, so each effect looks up its key first.

    They raise `Superseded`, `Transient` (tried again later) or `Permanent`; anything else is a bug and ends the job.
    """

    async def begin(self, job: Job) -> Json: ...
    async def judge(self, job: Job, begun: Json) -> Json: ...
    async def publish(self, job: Job, begun: Json, facts: Json) -> Json: ...

    async def conclude_failed(self, job: Job, why: str, retry_in: float | None, cause: Cause = "outside") -> Json:
        """Concludes the check run of a review that did not finish. `why` "" means superseded.

        `retry_in` seconds until the next attempt, None when there will be none.
        """
        ...

    async def perform_other(self, job: Job) -> Json:
        """Everything that is not a review."""
        ...


class JobRunner:
    """`Work`, done. A stored answer that cannot be read ends the job as `Permanent`; a replay begins anew."""

    def __init__(self, context: ReviewContext) -> None:
        self._context = context
        self._reviews = Reviews(context)

    async def begin(self, job: Job) -> Json:
        return encode(await self._reviews.begin(job))

    async def judge(self, job: Job, begun: Json) -> Json:
        return encode(await self._reviews.judge(job, decode(Begun, begun)))

    async def publish(self, job: Job, begun: Json, facts: Json) -> Json:
        return await self._reviews.publish(job, decode(Begun, begun), decode(ReviewFacts, facts))

    async def conclude_failed(self, job: Job, why: str, retry_in: float | None, cause: Cause = "outside") -> Json:
        await self._reviews.conclude_failed(job, why, retry_in, cause)

    async def perform_other(self, job: Job) -> Json:
        await perform_other(self._context, job)


def head_event(request: JobRequest) -> HeadEvent | None:
    """Only pull requests have a newest head."""
    if not isinstance(request, ReviewRequest | CloseRequest):
        return None
    return HeadEvent(
        request.repo_id,
        request.pull,
        request.installation_id,
        request.head_sha,
        request.updated_at,
        request.delivery,
        closed=isinstance(request, CloseRequest),
    )
