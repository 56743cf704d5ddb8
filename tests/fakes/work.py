"""`app.review.ticket.Work` that records what it was asked and fails as it is told."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable

from app.edges.store import Store, is_newest
from app.requests import ReviewRequest
from app.review.ticket import Json, Superseded, Ticket


class RecordingWork:
    """`fail[step]` is called before the step answers and may raise. `hold` seconds are spent in judge."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.calls: list[tuple[str, str, int]] = []  # (step, delivery, attempt)
        self.excuses: list[tuple[str, float | None]] = []
        self.published: list[str] = []  # head shas
        self.fail: dict[str, Callable[[Ticket], None]] = {}
        self.hold = 0.0
        self.running: defaultdict[str, int] = defaultdict(int)
        self.most: defaultdict[str, int] = defaultdict(int)

    def count(self, step: str) -> int:
        return sum(1 for name, _, _ in self.calls if name == step)

    def _note(self, step: str, ticket: Ticket) -> None:
        self.calls.append((step, ticket.request.delivery, ticket.attempt))
        if step in self.fail:
            self.fail[step](ticket)

    async def _fence(self, ticket: Ticket) -> None:
        request = ticket.request
        assert isinstance(request, ReviewRequest)
        if not await self.store.run(is_newest, request.repo_id, request.pull, ticket.sequence):
            raise Superseded

    async def begin(self, ticket: Ticket) -> Json:
        await self._fence(ticket)
        self._note("begin", ticket)
        return {"begun": True}

    async def judge(self, ticket: Ticket, begun: Json) -> Json:
        assert begun == {"begun": True}
        self._note("judge", ticket)
        partition = ticket.request.partition
        self.running[partition] += 1
        self.most[partition] = max(self.most[partition], self.running[partition])
        try:
            await asyncio.sleep(self.hold)
        finally:
            self.running[partition] -= 1
        return {"judged": True}

    async def publish(self, ticket: Ticket, judged: Json) -> Json:
        assert judged == {"judged": True}
        await self._fence(ticket)
        self._note("publish", ticket)
        self.published.append(ticket.reviewed.head_sha)
        return "pass"

    async def excuse(self, ticket: Ticket, why: str, retry_in: float | None) -> Json:
        self._note("excuse", ticket)
        self.excuses.append((why, retry_in))

    async def chore(self, ticket: Ticket) -> Json:
        self._note("chore", ticket)
