"""A fresh, migrated SQLite store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.edges.store import Store
from tests.databases import make_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = make_store(tmp_path / "tether.db")
    yield store
    store.engine.dispose()
