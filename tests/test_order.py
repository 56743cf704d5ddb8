"""No test is lost when the long ones go first, and every worker begins with its own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.order import LONG, find_file, spread_long

ROOT = Path(__file__).parents[1]


def make_items() -> list[Any]:
    short = [f"tests/a/test_{n}.py::test" for n in range(40)]
    long = [f"{file}::test_{n}" for file in sorted(LONG) for n in range(3)]
    return [SimpleNamespace(nodeid=nodeid) for nodeid in (*short[:20], *long, *short[20:])]


@pytest.mark.parametrize("workers", [1, 2, 4, 30])
def test_every_test_runs_once_and_files_stay_together(workers: int) -> None:
    items = make_items()
    ordered = spread_long(items, workers)
    files = [find_file(item) for item in ordered if find_file(item) in LONG]

    assert sorted(item.nodeid for item in ordered) == sorted(item.nodeid for item in items)
    assert [file for n, file in enumerate(files) if n % 3 == 0] == list(dict.fromkeys(files))


def test_each_of_four_begins_with_a_long_one() -> None:
    ordered = spread_long(make_items(), 4)
    begins = [find_file(ordered[round(len(ordered) * worker / 4)]) for worker in range(4)]

    assert begins == list(LONG[:4])


def test_the_long_ones_are_there() -> None:
    assert [file for file in LONG if not (ROOT / file).is_file()] == []
