"""A pool of killable child processes that run pure, picklable functions over items.

A child that dies, hangs or outgrows its limits is killed and replaced; its item comes back as `Unfinished` with the reason,
never left out, and the items behind it run in the new child. An item that ended a child by a fault of memory, as a compiled
parser does where its stack ends, is run once more by a child without compiled modules. A caller alone uses all children; a slow
item holds one, and whoever comes meanwhile gets a spare one (`app.edges.isolation.turns`). Deliberately absent: caching, any
knowledge of SQL.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias, TypeVar, cast

from app.edges.isolation.child import serve, serve_from_sources
from app.edges.isolation.turns import Turns
from app.ports import Unfinished

A = TypeVar("A")
B = TypeVar("B")
Serve: TypeAlias = Callable[[Connection, int, int], None]
_CRASHES = (-signal.SIGSEGV, -signal.SIGBUS)


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Per item: CPU seconds, wall seconds; per child: bytes of address space; items handed to a child at once."""

    cpu_seconds: int = 20
    wall_seconds: float = 30.0
    memory_bytes: int = 2 * 1024**3
    batch: int = 64


class ChildPool:
    """Fulfils `Isolation`. `size` children and a spare one; `preload` names modules that the fork server imports once."""

    def __init__(
        self,
        *,
        size: int | None = None,
        limits: ChildLimits = ChildLimits(),
        preload: Sequence[str] = (),
    ) -> None:
        self._size = size or max(2, os.cpu_count() or 2)
        self._limits = limits
        self._context = _context(preload)
        self._idle: list[_Child] = []
        self._turns = Turns(self._size)
        self._closed = False

    async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]:
        """One answer per item, in order. What these items do delays no other call."""
        results: list[B | Unfinished | None] = [None] * len(items)
        step = max(1, min(self._limits.batch, -(-len(items) // self._size)))
        batches = [range(start, min(start + step, len(items))) for start in range(0, len(items), step)]
        caller = object()
        await asyncio.gather(*(self._run_batch(caller, function, items, batch, results) for batch in batches))
        return tuple(cast("list[B | Unfinished]", results))

    async def close(self) -> None:
        """Kill every child; the pool cannot be used afterwards."""
        self._closed = True
        idle, self._idle = self._idle, []
        for child in idle:
            await asyncio.to_thread(child.kill)

    async def _run_batch(
        self,
        caller: object,
        function: Callable[[A], B],
        items: Sequence[A],
        batch: range,
        results: list[B | Unfinished | None],
    ) -> None:
        position = batch.start
        while position < batch.stop:
            await self._turns.take(caller)
            try:
                position = await self._answer(function, items, range(position, batch.stop), results)
            finally:
                self._turns.leave(caller)

    async def _answer(
        self, function: Callable[[A], B], items: Sequence[A], batch: range, results: list[B | Unfinished | None]
    ) -> int:
        """The position behind the last item that has its answer."""
        child = self._idle.pop() if self._idle else await self._start(serve)
        position = await self._ask(child, function, items, batch, results)
        if child.has_crashed:
            last = range(position - 1, position)
            await self._ask(await self._start(serve_from_sources), function, items, last, results)
        return position

    async def _start(self, target: Serve) -> _Child:
        return await asyncio.to_thread(_Child, self._context, self._limits, target)

    async def _ask(
        self,
        child: _Child,
        function: Callable[[A], B],
        items: Sequence[A],
        batch: range,
        results: list[B | Unfinished | None],
    ) -> int:
        answering = asyncio.ensure_future(asyncio.to_thread(child.answer, function, items, batch, results))
        try:
            position = await asyncio.shield(answering)
        except BaseException:
            child.end()  # the thread that waits for it sees that, and only that thread closes the pipe
            await asyncio.shield(asyncio.wait([answering]))
            await asyncio.shield(asyncio.to_thread(child.kill))
            raise
        if child.alive and child.target is serve and not self._closed and len(self._idle) < self._size:
            self._idle.append(child)
        else:
            await asyncio.to_thread(child.kill)
        return position


class _Child:
    """One process and its pipe."""

    def __init__(self, context: ForkServerContext | SpawnContext, limits: ChildLimits, target: Serve) -> None:
        self._limits = limits
        self.target = target
        mine, theirs = context.Pipe()
        self._pipe = mine
        self._process: BaseProcess = context.Process(
            target=target, args=(theirs, limits.memory_bytes, limits.cpu_seconds), daemon=True, name="tether-child"
        )
        self._process.start()
        theirs.close()
        self.alive = True

    @property
    def has_crashed(self) -> bool:
        """It has ended by itself with a fault of memory."""
        return self._process.exitcode in _CRASHES

    def answer(self, function: Callable[[Any], Any], items: Sequence[Any], batch: range, results: list[Any]) -> int:
        """Fill `results` until the batch is done or the child is lost; the next position that has no answer."""
        try:
            self._pipe.send((function, [items[i] for i in batch]))
        except (BrokenPipeError, ConnectionError, OSError):
            self.alive = False
            results[batch.start] = Unfinished("the process that was to read it had died")
            return batch.start + 1
        for position in batch:
            finished, value = self._receive()
            results[position] = value if finished else Unfinished(str(value))
            if not self.alive:
                return position + 1
        return batch.stop

    def _receive(self) -> tuple[bool, Any]:
        try:
            answered = self._pipe.poll(self._limits.wall_seconds)
            if answered:
                return cast("tuple[bool, Any]", self._pipe.recv())
        except (EOFError, ConnectionError, OSError):
            self.kill()
            return False, self._cause()
        self.kill()
        return False, f"it took longer than {self._limits.wall_seconds:g} s"

    def _cause(self) -> str:
        code = self._process.exitcode
        if code == -24:  # SIGXCPU
            return f"it used more than {self._limits.cpu_seconds} s of CPU time"
        return f"the process reading it died (exit code {code})"

    def end(self) -> None:
        """The process ends now; whoever waits for its answer is told."""
        self.alive = False
        self._process.kill()

    def kill(self) -> None:
        """The process and its pipe are gone; not to be called while `answer` runs in another thread."""
        self.end()
        self._process.join(5)
        self._pipe.close()


def _context(preload: Sequence[str]) -> ForkServerContext | SpawnContext:
    """A fork server: children start in milliseconds from a clean process that has no threads, sockets or secrets of ours."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*preload, serve.__module__])  # else every child loads it anew
    return context
