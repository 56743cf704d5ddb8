"""Databases for tests. One is migrated for the whole process; every other one starts as a copy of its file.

What a migration does is tested where migrations are (`tests/edges/store/test_migrate.py`, `tests/test_main.py`).
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from dbos import DBOS

from app.edges.store import Store, make_engine, upgrade


def make_store(path: Path) -> Store:
    """Our rows in a new file at `path`, migrated; whoever asks disposes of its engine."""
    return Store(copy_migrated(path))


def copy_migrated(path: Path) -> sa.Engine:
    """An engine on a new file at `path` that has our tables."""
    path.write_bytes(_migrated(with_queue=False))
    return make_engine(f"sqlite:///{path}")


def copy_migrated_queue(path: Path) -> sa.Engine:
    """As `copy_migrated`, with the queue's tables too: what a server that started once leaves."""
    path.write_bytes(_migrated(with_queue=True))
    return make_engine(f"sqlite:///{path}")


@cache
def _migrated(*, with_queue: bool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "migrated.db"
        if with_queue:
            DBOS.migrate(f"sqlite:///{path}")
        engine = make_engine(f"sqlite:///{path}")
        upgrade(engine)
        with engine.connect() as connection:  # what stands in the write-ahead log goes into the file
            connection.commit()
        engine.dispose()
        assert not path.with_name("migrated.db-wal").exists()
        return path.read_bytes()
