"""Calls of the synchronous SDK from async code: in a thread, and again after a short outage."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.edges.datahub.versioned import Unreached
from app.ports import RETRIES

A = TypeVar("A")

OUTAGES = RETRIES["datahub"].tries  # of one piece of work, before the caller is told


class Threads:
    """Runs idempotent work; `sleep` is asyncio's, except in tests."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep

    async def call(self, work: Callable[[], A]) -> A:
        """What `work` returns. After OUTAGES outages the last `Unreached` is raised, other exceptions at once."""
        for outages in range(1, OUTAGES):
            try:
                return await asyncio.to_thread(work)
            except Unreached as exc:
                await self.pause_after(exc, outages)
        return await asyncio.to_thread(work)

    async def pause_after(self, outage: Unreached, outages: int) -> None:
        """Wait before the next try. Raises the outage when it was one too many, or asks for too long a pause."""
        pause = RETRIES["datahub"].find_pause(outages, outage.retry_after)
        if pause is None:
            raise outage
        await self._sleep(pause)

    async def pause_after_conflict(self, attempt: int) -> None:
        """A moment, longer and more random the more often this writer lost."""
        await self._sleep(random.uniform(0, min(1.0, 0.02 * 2.0**attempt)))  # noqa: S311 - jitter
