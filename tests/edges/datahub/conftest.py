from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from app.catalog import CatalogStore, Proposal
from tests.edges.datahub.world import ml_path

MakeCatalog = Callable[..., CatalogStore]


@pytest.fixture
def catalog() -> Iterator[MakeCatalog]:
    """`catalog()` holds the ML path, `catalog([...])` these proposals; all are closed after the test."""
    opened: list[CatalogStore] = []

    def make(proposals: list[Proposal] | None = None) -> CatalogStore:
        store = CatalogStore()
        opened.append(store)
        store.write(ml_path() if proposals is None else proposals)
        return store

    yield make
    for store in opened:
        store.close()
