"""Isolation without processes: for tests of what is computed, not of where."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import TypeVar

from app.ports import Unfinished

A = TypeVar("A")
B = TypeVar("B")


class InlineIsolation:
    """Runs the function here, on a copy of the item that went through pickle as it would to a child."""

    async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]:
        return tuple(pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(item))))) for item in items)  # noqa: S301 - our own bytes
