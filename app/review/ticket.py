"""One turn of one job, as the queue hands it to the work: and the answer that ends a turn early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from app.edges.store import HeadEvent
from app.requests import CloseRequest, JobRequest, MergeGroupRequest, ReviewRequest

#: What a review's steps hand on and the queue stores: plain JSON values.
Json = Any


class Superseded(Exception):  # noqa: N818 - not an error: a newer event makes this work pointless
    """A newer head or a closed pull request makes this job pointless; it ends without another effect."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """`sequence` orders the events of one pull request (0: older than what was known when it came, or no pull request).

    `owner` names the job for ever, also after it was resumed, deferred or replayed: claims and external ids carry it.
    """

    request: JobRequest
    sequence: int = 0
    attempt: int = 0

    @property
    def owner(self) -> str:
        return self.owner_of(self.request.delivery)

    @staticmethod
    def owner_of(delivery: str) -> str:
        return f"gh:{delivery}"

    @property
    def reviewed(self) -> ReviewRequest | MergeGroupRequest:
        """The request, known to be one for a review; raises TypeError otherwise."""
        if isinstance(self.request, ReviewRequest | MergeGroupRequest):
            return self.request
        raise TypeError(f"a {self.request.kind} request is not reviewed")


class Work(Protocol):
    """What the queue runs. Every method may be run again from its start after a crash, so each effect looks up its key first.

    They raise `Superseded`, `Transient` (tried again later) or `Permanent`; anything else is a bug and ends the job.
    """

    async def begin(self, ticket: Ticket) -> Json: ...
    async def judge(self, ticket: Ticket, begun: Json) -> Json: ...
    async def publish(self, ticket: Ticket, judged: Json) -> Json: ...

    async def excuse(self, ticket: Ticket, why: str, retry_in: float | None) -> Json:
        """Concludes the check run of a review that did not finish. `why` "" means superseded.

        `retry_in` seconds until the next attempt, None when there will be none.
        """
        ...

    async def chore(self, ticket: Ticket) -> Json:
        """Everything that is not a review."""
        ...


def is_review(request: JobRequest) -> bool:
    match request:
        case ReviewRequest():
            return True
        case MergeGroupRequest(destroyed=destroyed):
            return not destroyed
        case _:
            return False


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
