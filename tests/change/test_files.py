"""Paths -> kinds, order and dialects."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from app.change import choose_dialect, classify, find_dialect_folders
from app.change.files import order_key
from app.change.order import find_included, order_migrations
from app.words import CatalogNaming, Config, Root

DEFAULTS = Config()


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("migrations/0001_a.sql", "", "migration"),
        ("db/migrate/20240101120000_a.sql", "", "migration"),
        ("sql/V1_2__a.sql", "", "migration"),
        ("sql/R__views.sql", "", "migration"),
        ("sql/U1_2__a.sql", "", None),
        ("sql/0002_a.sql", "ALTER TABLE t DROP COLUMN c;", "migration"),
        ("sql/0002_a.sql", "create table if not exists shop.t (\n  a int\n);", "migration"),
        ("pipeline/0002_a.sql", "INSERT INTO t SELECT a FROM u;", "definition"),
        ("pipeline/0002_a.sql", "CREATE OR REPLACE TABLE t AS SELECT a FROM u;", "definition"),
        ("models/vendor/a.sql", "select 1", "definition"),
        ("analysis/a.sql", "select 1", "definition"),
        ("sql/2024_sales.sql", "", "definition"),
        ("sql/01_features.sql", "", "definition"),
        ("sql/0002_a.down.sql", "", None),
        ("migrations/2024-01-01-000000_a/down.sql", "", None),
        ("migrations/2024-01-01-000000_a/up.sql", "", "migration"),
        ("a.sql", "--liquibase formatted sql\n--changeset x:1\n", "migration"),
        ("a.sql", "-- +goose Up\n", "migration"),
        ("a.sql", "select 1", "definition"),
        ("models/0002_a.sql", "", "definition"),
        ("models/a.sql", "{{ config(alias='b') }}", "definition"),
        ("macros/a.sql", "{% macro a() %}{% endmacro %}", "other"),
        ("seeds/a.csv", "", "definition"),
        ("data.csv", "", None),
        ("target/compiled/a.sql", "", None),
        ("dbt_packages/x/models/a.sql", "", None),
        ("analyses/a.sql", "", None),
        ("tests/a.sql", "", None),
        ("features/a.py", "", "other"),
        ("shop/migrations/0002_a.py", "", "migration"),
        ("shop/migrations/__init__.py", "", "other"),
        ("models/sources.yml", "", "other"),
        ("README.md", "", None),
    ],
)
def test_kind(path: str, text: str, kind: str | None) -> None:
    assert kind == classify(path, text, DEFAULTS)


def test_the_longest_root_decides() -> None:
    config = Config(roots=(Root("w", "migrations"), Root("w/views", "definitions"), Root("w/old", "ignore")))
    assert [classify(path, "", config) for path in ("w/a.sql", "w/views/a.sql", "w/old/a.sql", "wide/a.sql")] == [
        "migration",
        "definition",
        None,
        "definition",
    ]


def test_migrations_are_ordered_as_their_tools_apply_them() -> None:
    paths = [
        "m/V1__a.sql",
        "m/V1.9__a.sql",
        "m/V1_10__a.sql",
        "m/V2__a.sql",
        "m/V10__a.sql",
        "m/V20240101__a.sql",
        "m/unnumbered.sql",
        "m/R__a.sql",
        "m/R__b.sql",
    ]
    assert paths == sorted(set(paths), key=order_key)


@pytest.mark.parametrize(
    ("path", "config", "platform", "dialect"),
    [
        ("a.sql", Config(), None, "postgres"),
        ("a.sql", Config(), "mssql", "tsql"),
        ("a.sql", Config(dialect="snowflake"), "bigquery", "snowflake"),
        ("w/a.sql", Config(dialect="snowflake", roots=(Root("w", "definitions", "duckdb"),)), None, "duckdb"),
        ("a.sql", Config(catalog=CatalogNaming(platform="athena")), None, "athena"),
        ("a.sql", Config(), "kafka", "postgres"),
        ("a.hql", Config(), None, "hive"),
        ("a.hql", Config(dialect="snowflake"), None, "hive"),
        ("w/a.hql", Config(roots=(Root("w", "definitions", "duckdb"),)), None, "duckdb"),
    ],
)
def test_dialect(path: str, config: Config, platform: str | None, dialect: str) -> None:
    assert dialect == choose_dialect(path, config, platform=platform)


@pytest.mark.parametrize(
    ("paths", "folders"),
    [
        (("db/mysql/a.sql", "db/postgresql/a.sql"), {"db/mysql": "mysql", "db/postgresql": "postgres"}),
        (("db/mysql/a.sql", "db/mariadb/a.sql"), {}),
        (("db/mysql/a.sql", "db/postgres/a.py"), {}),
        (("db/mysql/a.sql", "other/postgres/a.sql"), {}),
        (("mysql/migrations/a.sql",), {"mysql": "mysql"}),
        (("migrations/mysql/1/a.sql",), {"migrations/mysql": "mysql"}),
        (("jobs/mysql/a.sql",), {}),
        (("steps/mysql/a.sql",), {"steps/mysql": "mysql"}),
        (("db/orders/a.sql", "db/customers/a.sql"), {}),
    ],
)
def test_folders_that_say_their_dialect(paths: tuple[str, ...], folders: dict[str, str]) -> None:
    assert find_dialect_folders(paths, Config(roots=(Root("steps", "migrations"),))) == folders


def test_the_nearest_folder_says_the_dialect() -> None:
    folders = {"db/mysql": "mysql", "db/mysql/old/tsql": "tsql"}
    config = Config(dialect="snowflake")
    chosen = [
        choose_dialect(path, config, folders=folders) for path in ("db/mysql/a.sql", "db/mysql/old/tsql/a.sql", "a.sql")
    ]
    assert chosen == ["mysql", "tsql", "snowflake"]


@dataclass(frozen=True)
class Changelog:
    path: str
    includes: tuple[str, ...] = ()
    revision: str = ""
    follows: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("master", "others", "order"),
    [
        (("db/z.xml", "db/a.xml"), ("db/a.xml", "db/z.xml"), ["db/m.xml", "db/z.xml", "db/a.xml"]),
        (("./z.xml", "./a.xml"), ("db/a.xml", "db/z.xml"), ["db/m.xml", "db/z.xml", "db/a.xml"]),
        (("classpath:c/z.xml", "/c/a.xml"), ("src/c/a.xml", "src/c/z.xml"), ["db/m.xml", "src/c/z.xml", "src/c/a.xml"]),
        (
            ("./x/", "./a.xml"),
            ("db/a.xml", "db/x/2.sql", "db/x/1.sql"),
            ["db/m.xml", "db/x/1.sql", "db/x/2.sql", "db/a.xml"],
        ),
        (("db/m.xml", "db/z.xml"), ("db/z.xml",), ["db/m.xml", "db/z.xml"]),
    ],
)
def test_changelogs_order_what_they_include(master: tuple[str, ...], others: tuple[str, ...], order: list[str]) -> None:
    files = [Changelog("db/m.xml", master), *map(Changelog, others)]
    assert [file.path for file in order_migrations(files)] == order
    assert find_included(files) == set(order)


def test_changelogs_that_include_each_other_keep_every_file() -> None:
    files = [Changelog("a.xml", ("b.xml",)), Changelog("b.xml", ("a.xml",)), Changelog("c.xml")]
    assert [file.path for file in order_migrations(files)] == ["a.xml", "b.xml", "c.xml"]
