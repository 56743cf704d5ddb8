"""The benchmark of the walk, kept honest and small: its file is what the catalog itself would have written, its limits hold."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from app.catalog import CatalogStore
from tests.benchmarks.bench_walk import LAKES, MOST_REQUESTS, find_misses, measure, served
from tests.benchmarks.lake import Lake, fill, load, open_lake

TINY = Lake(datasets=40, columns=3, tables=10, fan=(2, 3, 5), lost=2)


def rows(path: Path) -> tuple[set[tuple[object, ...]], ...]:
    statements = (
        "SELECT urn, type, present, removed FROM node",
        "SELECT n.urn, a.name, a.version, a.run, a.value FROM aspect a JOIN node n ON n.id = a.node",
        """SELECT o.urn, e.aspect, s.urn, e.name, d.urn, e.lineage, e.via FROM edge e JOIN node o ON o.id = e.owner
        JOIN node s ON s.id = e.source JOIN node d ON d.id = e.destination""",
    )
    connection = sqlite3.connect(path)
    try:
        return tuple(set(connection.execute(statement)) for statement in statements)
    finally:
        connection.close()


def test_the_file_is_what_the_catalog_would_have_written(tmp_path: Path) -> None:
    fill(tmp_path / "direct.db", TINY)
    with CatalogStore(tmp_path / "checked.db") as store:
        load(store, TINY)

    direct, checked = rows(tmp_path / "direct.db"), rows(tmp_path / "checked.db")

    assert direct == checked
    assert min(map(len, direct)) > 100


def test_a_file_is_made_once(tmp_path: Path) -> None:
    first = open_lake(TINY, tmp_path)
    written = first.stat().st_mtime_ns

    assert (open_lake(TINY, tmp_path), first.stat().st_mtime_ns) == (first, written)
    assert [first] == list(tmp_path.glob("*"))


@pytest.mark.parametrize("name", ["small"])
def test_the_walk_keeps_its_limits_and_one_by_one_does_not(name: str, tmp_path: Path) -> None:
    lake = LAKES[name]
    with served(open_lake(lake, tmp_path)) as url:
        batched, single = measure(url, "batched", name), measure(url, "naive", name)

    assert [miss for miss in find_misses(lake, batched) if not miss.endswith(" s")] == []  # busy machines are slow
    assert batched.features == single.features == lake.lost_features
    assert single.requests > 10 * MOST_REQUESTS
