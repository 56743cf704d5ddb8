"""Turns: all children for a caller alone, and one to spare for whoever comes while another hogs them."""

from __future__ import annotations

import asyncio

import pytest

from app.edges.isolation.turns import Turns

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Log:
    """Who has had turns, in order."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.given = turns, list[str]()
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, caller: str) -> asyncio.Task[None]:
        async def wait() -> None:
            await self.turns.take(caller)
            self.given.append(caller)

        task = asyncio.create_task(wait())
        self._tasks.append(task)
        for _ in range(3):
            await asyncio.sleep(0)
        return task

    async def leave(self, caller: str) -> None:
        self.turns.leave(caller)
        for _ in range(3):
            await asyncio.sleep(0)

    def end(self) -> None:
        for task in self._tasks:
            task.cancel()


async def test_a_caller_alone_uses_all_and_no_more() -> None:
    log = Log(Turns(2))
    for _ in range(3):
        await log.ask("a")

    assert log.given == ["a", "a"]
    log.end()


async def test_a_newcomer_gets_the_spare_one_at_once() -> None:
    log = Log(Turns(2))
    for caller in "aaab":
        await log.ask(caller)

    assert log.given == ["a", "a", "b"]
    log.end()


async def test_who_has_none_goes_before_who_asked_first() -> None:
    log = Log(Turns(2, spare=0))
    for caller in "aaaab":
        await log.ask(caller)
    await log.leave("a")

    assert log.given == ["a", "a", "b"]
    log.end()


async def test_the_spare_one_is_not_for_a_second_turn() -> None:
    log = Log(Turns(2))
    for caller in "aabb":
        await log.ask(caller)
    assert log.given == ["a", "a", "b"]

    await log.leave("a")
    assert log.given == ["a", "a", "b"]  # a and b hold two: a has none to spare, b waits for a free one
    await log.leave("a")
    assert log.given == ["a", "a", "b", "b"]
    log.end()


async def test_whoever_gives_up_takes_nothing_with_him() -> None:
    log = Log(Turns(1, spare=0))
    await log.ask("a")
    waiting = await log.ask("b")
    await log.ask("c")
    waiting.cancel()
    await log.leave("a")

    assert log.given == ["a", "c"]
    log.end()


async def test_a_turn_that_comes_while_its_caller_gives_up_is_passed_on() -> None:
    log = Log(Turns(1, spare=0))
    await log.ask("a")
    waiting = await log.ask("b")
    await log.ask("c")
    log.turns.leave("a")  # b has it, and does not know yet
    waiting.cancel()
    for _ in range(5):
        await asyncio.sleep(0)

    assert log.given == ["a", "c"]
    log.end()
