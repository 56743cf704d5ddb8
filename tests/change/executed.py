"""A scenario executed by DuckDB: the base is built and filled, then the change is applied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import duckdb

from app.change.files import order_key
from app.offline.scenario import Files
from tests.suite import texts


def tree(files: Files) -> dict[str, str]:
    """The texts that a core room is given: what configures Tether left out."""
    return {path: text for path, text in texts(files).items() if path.rpartition("/")[2] != ".tether.yml"}


def find_feature(files: dict[str, str]) -> str:
    """The feature table and its column: what the model asks for."""
    words = files["features/customer_features.sql"].split()
    return next(word for word in words if word.startswith("shop.features."))


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    """One for the process: to start an engine takes longer than all that a scenario asks of it."""
    engine = duckdb.connect(":memory:", config={"threads": 1})
    engine.execute("SET enable_external_access = false")
    return engine


@contextmanager
def open_warehouse() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database `shop` with the schemas that scenarios name, gone afterwards."""
    db = _engine().cursor()
    try:
        db.execute("ATTACH ':memory:' AS shop")
        for schema in ("raw", "analytics", "features"):
            db.execute(f"CREATE SCHEMA shop.{schema}")
        yield db
        left = db.execute(
            "SELECT database_name, table_name FROM duckdb_tables() WHERE database_name = 'memory'"
        ).fetchall()
        assert left == [], "a scenario made a table outside of shop: the next one would see it"
    finally:
        db.close()
        _engine().execute("DETACH shop")


def run(base: dict[str, str], head: dict[str, str], rows: str, feature: str) -> list[Any] | str:
    """Values of the feature, or the engine's error. The base is built and filled, then the head's news are applied."""
    with open_warehouse() as db:
        for sql in (*list_migrations(base), rows, *list_definitions(base)):
            db.execute(sql)
        try:
            new = {path: sql for path, sql in head.items() if path not in base}
            gone = [path for path in base if head and path not in head and path.startswith("views/")]
            for path in gone:
                if not any(base[path] == sql for sql in new.values()):
                    db.execute(f"DROP VIEW {base[path].split()[4]}")
            for sql in (*list_migrations(new), *list_definitions(head)):
                db.execute(sql)
            return db.execute(f"SELECT customer_id, discount_sensitivity FROM {feature} ORDER BY ALL").fetchall()  # noqa: S608 - the scenario's own name
        except duckdb.Error as error:
            return str(error)


def list_migrations(files: dict[str, str]) -> Iterator[str]:
    """In their order."""
    for path in sorted((p for p in files if p.startswith("migrations/")), key=order_key):
        yield files[path]


def list_definitions(files: dict[str, str]) -> Iterator[str]:
    """Views before the features that read them."""
    for folder in ("views/", "marts/", "features/"):
        for path in sorted(p for p in files if p.startswith(folder)):
            yield files[path]
