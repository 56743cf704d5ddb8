"""What a review works with: ports, our rows, and the few settings that its texts and effects need. Built once, in main."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.edges.store import PullKey, Store, StoredIndex, StoredParses, is_newest, is_older_than
from app.ports import Forge, Ports
from app.requests import JobRequest, ReviewRequest
from app.review.assess import Assessment, ChangeInputs
from app.review.ticket import Superseded, Ticket
from app.source.repo_files import BlobCache, OrgIndex

Assess = Callable[[ChangeInputs, Ports], Awaitable[Assessment]]
Enqueue = Callable[[JobRequest], Awaitable[object]]
#: deletes the finished jobs of an installation
Forget = Callable[[int], Awaitable[object]]
#: whether a delivery's job waits or runs
IsAlive = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True)
class Desk:
    """`llm_daily` questions a day may go to the language model. Seconds: `settle` before a pull request is read again whose head
    is not the event's, `watch` between two looks whether a running review has been superseded."""

    ports: Ports
    store: Store
    assess: Assess
    enqueue: Enqueue
    forget: Forget
    is_alive: IsAlive
    check_name: str = "tether"
    web_url: str = "https://github.com"
    catalog_url: str = ""
    rules_url: str = ""
    llm_daily: int = 200
    settle: float = 2.0
    watch: float = 2.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    blobs: BlobCache = field(default_factory=BlobCache)

    def ports_of(self, ticket: Ticket) -> Ports:
        """The ports, with what was parsed for the ticket's installation before."""
        return replace(self.ports, cache=StoredParses(self.store, ticket.request.installation_id))

    def index(self, ticket: Ticket) -> OrgIndex:
        """The SQL of the repositories that the ticket's installation includes."""
        return OrgIndex(StoredIndex(self.store, ticket.request.installation_id), self.blobs)

    def forge(self, ticket: Ticket) -> Forge:
        return self.ports.forges.installation(ticket.request.installation_id)

    async def knows_all_of(self, ticket: Ticket, opened: str) -> bool:
        """Whether our rows reach back before the pull request was opened (ISO time as GitHub writes it, "" unknown)."""
        if not opened:
            return False
        moment = datetime.fromisoformat(opened).timestamp()
        return await self.store.run(is_older_than, ticket.request.installation_id, moment)

    async def fence(self, ticket: Ticket) -> None:
        """Raises `Superseded` unless the ticket's event is still the newest of its pull request."""
        if isinstance(request := ticket.request, ReviewRequest) and not await self.store.run(
            is_newest, request.repo_id, request.pull, ticket.sequence
        ):
            raise Superseded


def pull_key(ticket: Ticket) -> PullKey:
    """The rows of the reviewed pull request; a merge group's are kept under pull 0."""
    request = ticket.reviewed
    pull = request.pull if isinstance(request, ReviewRequest) else 0
    return PullKey(request.installation_id, request.repo_id, pull)
