"""Calls of the synchronous SDK from async code: in a thread, and again after a short outage."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.edges.datahub.versioned import Unreached

A = TypeVar("A")

OUTAGES = 4  # of one piece of work, before the caller is told
LONGEST_WAIT = 20.0  # seconds; a longer Retry-After is left to the job queue


class Threads:
    """Runs idempotent work; `sleep` is asyncio's, except in tests."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep

    async def call(self, work: Callable[[], A]) -> A:
        """What `work` returns. After OUTAGES outages the last `Unreached` is raised, other exceptions at once."""
        for attempt in range(OUTAGES - 1):
            try:
                return await asyncio.to_thread(work)
            except Unreached as exc:
                await self.pause_after(exc, attempt)
        return await asyncio.to_thread(work)

    async def pause_after(self, outage: Unreached, attempt: int) -> None:
        """Wait as long as the server asked, or 0.5, 1, 2 ... seconds. Raises the outage when it asks for too long."""
        asked = outage.retry_after or 0.0
        if asked > LONGEST_WAIT:
            raise outage
        backoff = min(8.0, 0.5 * 2.0**attempt) * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
        await self._sleep(max(asked, backoff))

    async def pause_after_conflict(self, attempt: int) -> None:
        """A moment, longer and more random the more often this writer lost."""
        await self._sleep(random.uniform(0, min(1.0, 0.02 * 2.0**attempt)))  # noqa: S311 - jitter
