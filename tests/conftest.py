"""For every test: what passes through the GitHub stand-in is held against GitHub's own description; what was skipped is said.

Besides: what costs the same in every test is paid once, how hard hypothesis looks, and a shop, where a review runs around fakes.
"""

from __future__ import annotations

import asyncio
import gc
import os
import ssl
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import uvicorn.server
from starlette.types import ASGIApp

from app.edges.store import engine
from app.review import lag
from app.standin.github import serving
from tests.contracts.github_description import Watched
from tests.laws import choose_profile
from tests.memory import choose_folder
from tests.order import spread_long
from tests.review.shop import Shop
from tests.skips import pytest_sessionfinish, pytest_terminal_summary

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]  # hooks
choose_folder(os.environ)
gc.set_threshold(50_000, 20, 50)  # modules and tests are many objects and hardly any cycles
choose_profile()  # before any module that defines a law is read
WATCHED: list[Watched] = []


@pytest.fixture(autouse=True, scope="session")
def _watch_the_stand_in() -> Iterator[None]:
    """Whoever serves it, in whatever test, serves it behind the judge."""
    plain = serving.create_app

    def watched(*arguments: object, **options: object) -> ASGIApp:
        app = Watched(plain(*arguments, **options))  # type: ignore[arg-type]  # handed on as they are
        WATCHED.append(app)
        return app

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "create_app", watched)
        yield


@pytest.fixture(autouse=True)
def _everything_fits_githubs_description() -> Iterator[None]:
    yield
    wrong = [problem for app in WATCHED for problem in app.wrong]
    for app in WATCHED:
        app.wrong.clear()
    assert not wrong, "GitHub's description says otherwise:\n" + "\n".join(dict.fromkeys(wrong))


@pytest.fixture(autouse=True, scope="session")
def _no_power_cut() -> Iterator[None]:
    """Our rows reach the disk when the system finds the time: a process may die in a test, the machine does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            engine, "PRAGMAS", tuple(p.replace("synchronous=FULL", "synchronous=OFF") for p in engine.PRAGMAS)
        )
        yield


@pytest.fixture(autouse=True, scope="session")
def _an_index_is_asked_again_at_once() -> Iterator[None]:
    """The embedded catalog's index is never late by itself, and many tests break it on purpose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lag, "PAUSE", 0.01)
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_tls_context() -> Iterator[None]:
    """Every client of httpx reads all certificates anew, and few tests take as long; nothing here speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


class HastyAsyncio:
    """asyncio for uvicorn alone: it sleeps a hundredth of a second where uvicorn asks for a tenth."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))


@pytest.fixture(autouse=True, scope="session")
def _servers_end_at_once() -> Iterator[None]:
    """uvicorn looks every tenth of a second whether it is to end, and waits as long for its connections: hundreds of tests stop
    a server or two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uvicorn.server, "asyncio", HastyAsyncio())
        yield


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a fifth of the time of these tests passes waiting for servers and processes."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = spread_long(items, getattr(config, "workerinput", {}).get("workercount", 1))


def pytest_collection_finish() -> None:
    """What is there now stays to the end: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()
