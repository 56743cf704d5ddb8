"""A circuit breaker: after several failures in a row, stop asking for a while.

One per server. It keeps a catalog that is down from being asked by every job with every retry; the jobs fail at once
with the same sentence and come back later.
"""

from __future__ import annotations

import time
from collections.abc import Callable

FAILURES = 5
COOL_DOWN = 30.0  # seconds


class Breaker:
    """Open after `failures` failures in a row; after `cool_down` seconds one call is let through to see."""

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        cool_down: float = COOL_DOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = failures
        self._cool_down = cool_down
        self._clock = clock
        self._failures = 0
        self._opened: float | None = None

    def find_wait(self) -> float | None:
        """Seconds until the next call is allowed, None when it is allowed now. Letting one through closes the door again."""
        if self._opened is None:
            return None
        waited = self._clock() - self._opened
        if waited < self._cool_down:
            return self._cool_down - waited
        self._opened = self._clock()
        return None

    def succeeded(self) -> None:
        self._failures = 0
        self._opened = None

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= self._limit and self._opened is None:
            self._opened = self._clock()
