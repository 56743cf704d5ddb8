"""The pool survives whatever an item does, and says what it did."""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import os
import time
from collections.abc import AsyncIterator

import pytest

from app.change import ParsedFile, ParseItem, parse_file
from app.edges.isolation import ChildLimits, ChildPool
from app.ports import Unfinished
from app.render import SqlText

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def pool() -> AsyncIterator[ChildPool]:
    pool = ChildPool(size=2, limits=ChildLimits(cpu_seconds=1, wall_seconds=20, memory_bytes=512 * 1024**2, batch=4))
    yield pool
    await pool.close()


def act(what: str) -> str:  # noqa: C901 - one case a kind of misbehaviour
    """What the item says, done inside the child."""
    match what:
        case "spin":
            while True:
                pass
        case "sleep":
            time.sleep(60)
        case "eat":
            return "x" * 10**9
        case "segfault":
            ctypes.string_at(0)
        case "exit":
            os._exit(3)
        case "nest":
            return nest()
        case "raise":
            raise ValueError("no such thing")
        case "pid":
            return str(os.getpid())
        case "pid at leisure":
            time.sleep(0.5)
            return str(os.getpid())
        case "environment":
            return repr(dict(os.environ))
        case "write":
            with open("/tmp/tether-child-writes", "w") as file:  # noqa: PTH123, S108 - the child must not get this far
                file.write("x")
    return what.upper()


def find_parser(_: str) -> str:
    """The file of sqlglot's parser; a compiled one ends this process."""
    parser = str(importlib.import_module("sqlglot.parser").__file__)
    return parser if parser.endswith(".py") else str(ctypes.string_at(0))


def parse_once_crashed(item: ParseItem) -> ParsedFile:
    find_parser("")
    return parse_file(item)


def nest() -> str:
    return nest()


async def test_answers_in_order(pool: ChildPool) -> None:
    items = [f"i{n}" for n in range(50)]

    assert await pool.run(act, items) == tuple(item.upper() for item in items)


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("eat", "more memory"),
        ("segfault", "died (exit code -11)"),
        ("exit", "died (exit code 3)"),
        ("nest", "nested too deeply"),
        ("raise", "ValueError: no such thing"),
        ("write", "File too large"),
    ],
)
async def test_a_bad_item_is_unfinished_and_the_rest_is_done(pool: ChildPool, what: str, why: str) -> None:
    first, bad, last = await pool.run(act, ["a", what, "b"])

    assert (first, last) == ("A", "B")
    assert isinstance(bad, Unfinished)
    assert why in bad.why


async def test_what_ends_the_compiled_parser_is_read_by_the_plain_one(pool: ChildPool) -> None:
    parsers = await pool.run(find_parser, ["a", "b"])

    assert [str(parser)[-17:] for parser in parsers] == ["sqlglot/parser.py"] * 2
    assert str(importlib.import_module("sqlglot.parser").__file__).endswith(".so")  # here


async def test_a_text_is_read_alike_by_both() -> None:
    """Whatever a child of either kind hands back is a value of ours."""
    pool = ChildPool(size=1)
    item = ParseItem(
        SqlText("a.sql", "CREATE VIEW v AS SELECT a + 1 AS b FROM t WHERE c", ()), "definition", "postgres"
    )
    (compiled,) = await pool.run(parse_file, [item])
    (plain,) = await pool.run(parse_once_crashed, [item])
    await pool.close()

    assert isinstance(compiled, ParsedFile)
    assert compiled == plain
    assert [output.name for output in compiled.statements[0].outputs] == ["b"]


async def test_who_sleeps_is_given_up() -> None:
    pool = ChildPool(size=1, limits=ChildLimits(wall_seconds=6))
    bad, last = await pool.run(act, ["sleep", "b"])
    await pool.close()

    assert isinstance(bad, Unfinished)
    assert (bad.why, last) == ("it took longer than 6 s", "B")


async def test_who_spins_uses_up_his_cpu_time() -> None:
    pool = ChildPool(size=1, limits=ChildLimits(cpu_seconds=1, wall_seconds=60))
    bad, last = await pool.run(act, ["spin", "b"])
    await pool.close()

    assert isinstance(bad, Unfinished)
    assert (bad.why, last) == ("it used more than 1 s of CPU time", "B")


async def test_who_gives_up_leaves_nothing_behind(pool: ChildPool) -> None:
    """A review that is superseded ends in the middle; its child does too, and the next caller has a new one."""
    (before,) = await pool.run(act, ["pid"])
    for _ in range(5):
        given_up = asyncio.create_task(pool.run(act, ["sleep"] * 3))
        await asyncio.sleep(0.1)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
    (after,) = await pool.run(act, ["pid"])

    assert before != after


async def test_a_bomb_does_not_delay_another_caller(pool: ChildPool) -> None:
    bomb = asyncio.create_task(pool.run(act, ["sleep"] * 2))
    await asyncio.sleep(0.3)

    assert await pool.run(act, ["a", "b"]) == ("A", "B")
    assert not bomb.done()
    bomb.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bomb


async def test_a_bomb_in_every_child_does_not_delay_another_caller(pool: ChildPool) -> None:
    bomb = asyncio.create_task(pool.run(act, ["sleep"] * 8))
    await asyncio.sleep(0.3)

    assert await pool.run(act, ["a", "b", "c"]) == ("A", "B", "C")
    assert not bomb.done()
    bomb.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bomb


async def test_a_caller_alone_uses_every_child(pool: ChildPool) -> None:
    first, second = await pool.run(act, ["pid at leisure"] * 2)

    assert first != second


async def test_work_happens_in_another_process(pool: ChildPool) -> None:
    (pid,) = await pool.run(act, ["pid"])

    assert pid != str(os.getpid())


async def test_the_child_does_not_see_the_environment(pool: ChildPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETHER_GITHUB_WEBHOOK_SECRET", "hush")

    assert await pool.run(act, ["environment"]) == ("{}",)
