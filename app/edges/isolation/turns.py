"""Whose turn it is to use a child: a caller alone uses all of them, and a caller who has none never waits for one that takes all.

Deliberately absent: processes. This counts, in one event loop.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Turns:
    """`size` turns at once for everybody, and `spare` more for callers who have none. A caller is any hashable value.

    Who has none goes first, else who asked first. So what one caller's items do can delay another one only when more than
    `spare` callers hog everything at the same time.
    """

    size: int
    spare: int = 1
    _held: Counter[object] = field(default_factory=Counter)
    _waiting: deque[tuple[object, asyncio.Future[None]]] = field(default_factory=deque)

    async def take(self, caller: object) -> None:
        """Returns when it is the caller's turn; give it back with `leave`."""
        if self._may(caller):
            self._held[caller] += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((caller, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(caller)  # it was given the turn at the very moment
            else:
                self._waiting.remove((caller, turn))
            raise

    def leave(self, caller: object) -> None:
        """The turn is over; the next one's begins."""
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]
        while (following := self._find_next()) is not None:
            self._waiting.remove(following)
            self._held[following[0]] += 1
            following[1].set_result(None)

    def _may(self, caller: object) -> bool:
        return self._held.total() < self.size + (0 if self._held[caller] else self.spare)

    def _find_next(self) -> tuple[object, asyncio.Future[None]] | None:
        """A waiting future that is done already was given up, and nobody has taken it out yet."""
        able = [one for one in self._waiting if not one[1].done() and self._may(one[0])]
        return next((one for one in able if not self._held[one[0]]), able[0] if able else None)
