"""What a review works with: ports, our rows, and the few settings that its texts and effects need. Built once, in main."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from app.edges.store import PullKey, Store, StoredIndex, StoredParses, load_is_newest, load_is_older_than
from app.ports import Forge, LineageWrites, Ports, Pull
from app.requests import Job, JobRequest, ReviewRequest, Superseded
from app.review.assess import Assess
from app.source.repo_files import BlobCache, OrgIndex
from app.words import Repo

Enqueue = Callable[[JobRequest], Awaitable[object]]
#: deletes the finished jobs of an installation
Forget = Callable[[int], Awaitable[object]]
#: whether a delivery's job waits or runs
IsAlive = Callable[[str], Awaitable[bool]]


class OpenLineage(Protocol):
    """Makes the writer of one job's edges. `pull` is (repository id, number); `check_newest` raises `Superseded`."""

    def __call__(
        self, run_id: str, installation_id: int, pull: tuple[int, int], check_newest: Callable[[], Awaitable[None]]
    ) -> LineageWrites: ...


@dataclass(frozen=True)
class ReviewContext:
    """`llm_daily` questions a day may go to the language model. Seconds: `settle` before a pull request is read again whose head
    is not the event's, `watch` between two looks whether a running review has been superseded."""

    ports: Ports
    store: Store
    assess: Assess
    enqueue: Enqueue
    forget: Forget
    is_alive: IsAlive
    open_lineage: OpenLineage
    check_name: str = "tether"
    web_url: str = "https://github.com"
    rules_url: str = ""
    llm_daily: int = 200
    settle: float = 2.0
    watch: float = 2.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    blobs: BlobCache = field(default_factory=BlobCache)

    def ports_of(self, job: Job) -> Ports:
        """The ports, with what was parsed for the job's installation before."""
        return replace(self.ports, cache=StoredParses(self.store, job.request.installation_id))

    def index(self, job: Job) -> OrgIndex:
        """The SQL of the repositories that the job's installation includes."""
        return OrgIndex(StoredIndex(self.store, job.request.installation_id), self.blobs)

    def forge(self, job: Job) -> Forge:
        return self.ports.forges.installation(job.request.installation_id)

    async def knows_all_of(self, job: Job, opened: str) -> bool:
        """Whether our rows reach back before the pull request was opened (ISO time as GitHub writes it, "" unknown)."""
        if not opened:
            return False
        moment = datetime.fromisoformat(opened).timestamp()
        return await self.store.run(load_is_older_than, job.request.installation_id, moment)

    async def check_newest(self, job: Job) -> None:
        """Raises `Superseded` unless the job's event is still the newest of its pull request."""
        if isinstance(request := job.request, ReviewRequest) and not await self.store.run(
            load_is_newest, request.repo_id, request.pull, job.sequence
        ):
            raise Superseded


@dataclass(frozen=True, slots=True)
class Begun:
    """`started` in seconds since the epoch; `pull` as GitHub had it then, None for a merge group."""

    repo: Repo
    check_run_id: int
    started: float
    pull: Pull | None = None

    @property
    def opened(self) -> str:
        """When the pull request was opened, as GitHub writes it; "" when it is not known."""
        return self.pull.created_at if self.pull else ""


def pull_key(job: Job) -> PullKey:
    """The rows of the reviewed pull request; a merge group's are kept under pull 0."""
    request = job.reviewed
    pull = request.pull if isinstance(request, ReviewRequest) else 0
    return PullKey(request.installation_id, request.repo_id, pull)
