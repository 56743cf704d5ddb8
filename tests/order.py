"""The order in which tests run: files that mostly wait go first, spread over the workers, so that none of them ends with one."""

from __future__ import annotations

from itertools import groupby

import pytest

#: longest first
LONG = (
    "tests/standin/demo/test_demo.py",
    "tests/jobs/test_queue.py",
    "tests/system/test_org.py",
    "tests/chaos/test_kill.py",
    "tests/review/test_faults.py",
    "tests/benchmarks/test_lake.py",
    "tests/commands/test_wheel.py",
    "tests/edges/isolation/test_pool.py",
)


def spread_long(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """A worker gets the next so many tests, and takes of another's last ones when it has none left."""
    by_file = {file: list(tests) for file, tests in groupby(items, key=find_file) if file in LONG}
    long = [by_file[file] for file in LONG if file in by_file]
    short = [item for item in items if find_file(item) not in LONG]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        own = [item for tests in long[worker::workers] for item in tests]
        end = round(len(items) * (worker + 1) / workers)
        take = max(0, end - len(ordered) - len(own)) if worker < workers - 1 else len(short)
        ordered += [*own, *short[:take]]
        short = short[take:]
    return ordered


def find_file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
