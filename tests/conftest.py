"""For every test: what passes through the GitHub stand-in is held against GitHub's own description; what was skipped is said.

Besides: what costs the same in every test is paid once, how hard hypothesis looks, and a shop, where a review runs around fakes.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from app.edges.store import engine
from app.standin.github import serving
from tests.contracts.github_description import Watched
from tests.laws import choose_profile
from tests.review.shop import Shop
from tests.skips import count_reasons, find_forbidden, say_skips

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
def _one_tls_context() -> Iterator[None]:
    """Every client of httpx reads all certificates anew, and few tests take as long; nothing here speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    say_skips(terminalreporter)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In the process that has all reports: what could have been installed must have run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    if find_forbidden(count_reasons(reporter.stats.get("skipped", ())), os.environ) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
