"""What every test may ask for: how hard hypothesis looks, and a shop, where a whole review runs around fakes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from app.edges.store import engine
from tests.review.shop import Shop

# `make test` draws few examples, the same in every run: what it says depends on the change alone. `make test-deep` draws
# new ones, more than there is time for between two pushes; what it finds becomes a test with a name.
settings.register_profile(
    "quick",
    max_examples=25,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("deep", max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True, scope="session")
def _no_power_cut() -> Iterator[None]:
    """Our rows reach the disk when the system finds the time: a process may die in a test, the machine does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "PRAGMAS", tuple(p.replace("synchronous=FULL", "synchronous=OFF") for p in engine.PRAGMAS))
        yield


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()
