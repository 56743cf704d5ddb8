"""The migrations build what the tables say, on a fresh file, once, also when several processes start together."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from app.edges.store import load_is_current, make_engine, upgrade
from app.edges.store.migrate import VERSION_TABLE
from app.edges.store.tables import METADATA, PREFIX


def test_a_fresh_file_gets_every_table(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/tether.db")
    assert not load_is_current(engine)
    upgrade(engine)
    assert load_is_current(engine)
    assert {*METADATA.tables, VERSION_TABLE} == set(sa.inspect(engine).get_table_names())
    engine.dispose()


def test_models_and_migrations_agree(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/tether.db")
    upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": VERSION_TABLE,
                "compare_type": True,
                "compare_server_default": True,
            },
        )
        assert compare_metadata(context, METADATA) == []
    engine.dispose()


def test_every_table_carries_the_prefix() -> None:
    assert all(name.startswith(PREFIX) for name in METADATA.tables)


def test_upgrading_twice_keeps_rows(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/tether.db")
    upgrade(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO tether_executor VALUES ('a', 'h', 1, 2.0)")
    upgrade(engine)
    with engine.begin() as connection:
        assert list(connection.exec_driver_sql("SELECT id FROM tether_executor").scalars()) == ["a"]
    engine.dispose()


def test_processes_that_start_together_migrate_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/tether.db"
    code = f"from app.edges.store import make_engine, upgrade; upgrade(make_engine({url!r}))"
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    with sqlite3.connect(tmp_path / "tether.db") as connection:
        assert connection.execute("SELECT count(*) FROM tether_alembic_version").fetchone()[0] == 1
    connection.close()


def test_the_file_is_in_wal_mode_and_unixepoch_exists(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/tether.db")
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("SELECT unixepoch('subsec')").scalar_one() > 1e9
    engine.dispose()
