"""A fresh, migrated SQLite store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.edges.store import Store, make_engine, upgrade


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    engine = make_engine(f"sqlite:///{tmp_path}/tether.db")
    upgrade(engine)
    yield Store(engine)
    engine.dispose()
