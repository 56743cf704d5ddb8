from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contracts.catalog_world import CatalogWorld, FakeCatalogWorld, open_embedded
from tests.contracts.fake_world import FakeWorld
from tests.contracts.forge_world import ForgeWorld
from tests.contracts.standin_world import Served, StandInWorld, open_site


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with open_site(tmp_path_factory.mktemp("github")) as site:
        yield site


@pytest.fixture(params=["fake", "stand-in"])
def forge_world(request: pytest.FixtureRequest) -> Iterator[ForgeWorld]:
    """Each test runs once for each GitHub that Tether is tested with."""
    if request.param == "fake":
        yield FakeWorld()
        return
    world = StandInWorld(request.getfixturevalue("served"))
    limit = world.world.limits.tree_entries
    yield world
    world.world.limits.tree_entries = limit
    assert world.world.wait_for_deliveries()


@pytest.fixture(params=["fake", "embedded"])
def catalog_world(request: pytest.FixtureRequest) -> Iterator[CatalogWorld]:
    """Each test runs once for each catalog that Tether is tested with."""
    if request.param == "fake":
        yield FakeCatalogWorld()
        return
    with open_embedded() as world:
        yield world
