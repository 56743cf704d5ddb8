"""What every test may ask for: how hard hypothesis looks, and a shop, where a whole review runs around fakes."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from app.edges.store import engine
from tests.laws import choose_profile
from tests.review.shop import Shop

choose_profile()  # before any module that defines a law is read


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
