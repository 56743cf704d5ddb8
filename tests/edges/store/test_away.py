"""A database that is away, locked or full is so for now; a table that is not there is a mistake."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.edges.store import Store, engine, make_engine
from app.words import Transient


@pytest.fixture
def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store that does not wait for others."""
    monkeypatch.setattr(engine, "PRAGMAS", (*engine.PRAGMAS, "busy_timeout=1", "max_page_count=8"))
    store = Store(make_engine(f"sqlite:///{tmp_path}/tether.db"))
    yield store
    store.engine.dispose()


def test_locked(hasty: Store, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "tether.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Transient, match="own database cannot be used for now"), hasty.begin():
        pass
    other.execute("ROLLBACK")
    other.close()
    with hasty.begin() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1


def test_full(hasty: Store) -> None:
    with hasty.begin() as connection:
        connection.execute(sa.text("CREATE TABLE t (a TEXT)"))
    with pytest.raises(Transient), hasty.begin() as connection:
        connection.execute(sa.text("INSERT INTO t VALUES (:a)"), {"a": "x" * 100_000})


def test_away() -> None:
    away = Store(make_engine("postgresql://me:hunter2@127.0.0.1:9/x"))
    with pytest.raises(Transient) as caught, away.begin():
        pass
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("statement", ["SELECT a FROM nowhere", "SELEC 1"])
def test_a_mistake_is_none_of_them(hasty: Store, statement: str) -> None:
    with pytest.raises(sa.exc.OperationalError), hasty.begin() as connection:
        connection.execute(sa.text(statement))
