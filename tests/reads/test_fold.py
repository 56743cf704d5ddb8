"""Folding of names, dialect by dialect, and the words of files nobody understood."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from app.reads import Unreadable, find_words, fold, fold_table

NAMES = [
    ("Orders", False, "snowflake", "orders"),
    ("ORDERS", True, "snowflake", "orders"),
    ("Orders", True, "snowflake", '"Orders"'),
    ("orders", True, "snowflake", '"orders"'),
    ("Orders", False, "postgres", "orders"),
    ("orders", True, "postgres", "orders"),
    ("ORDERS", True, "postgres", '"ORDERS"'),
    ("Orders", True, "redshift", "orders"),
    ("Orders", True, "bigquery", "orders"),
    ("Orders", True, "databricks", "orders"),
    ("Orders", True, "trino", "orders"),
    ("Orders", True, "duckdb", "orders"),
    ("Orders", True, "mysql", "orders"),
    ("Orders", True, "tsql", "orders"),
    ("Orders", False, "clickhouse", '"Orders"'),
    ("orders", False, "clickhouse", "orders"),
    ("Orders", True, "oracle", '"Orders"'),
    ("Orders", False, "oracle", "orders"),
    ("a.b", True, "duckdb", '"a.b"'),
    ("Orders", False, "SQLServer", "orders"),
    ("Orders", False, "postgresql", "orders"),
]


@pytest.mark.parametrize(("name", "quoted", "dialect", "expected"), NAMES)
def test_fold(name: str, quoted: bool, dialect: str, expected: str) -> None:  # noqa: FBT001 - a test parameter
    assert expected == fold(name, quoted=quoted, dialect=dialect)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(Unreadable, match="no SQL dialect is named 'cobol'"):
        fold("x", quoted=False, dialect="cobol")


@pytest.mark.parametrize(
    ("sql", "dialect", "expected"),
    [
        ("select 1 from Shop.RAW.Orders", "snowflake", "shop.raw.orders"),
        ("select 1 from `my-project.raw.Orders`", "bigquery", 'my-project.raw."Orders"'),
        ('select 1 from raw."Orders"', "postgres", 'raw."Orders"'),
        ("select 1 from [srv].[db].[dbo].[Orders]", "tsql", "srv.db.dbo.orders"),
        ("select 1 from flatten(x)", "snowflake", ""),
    ],
)
def test_fold_table(sql: str, dialect: str, expected: str) -> None:
    table = sqlglot.parse_one(sql, dialect=dialect).find(exp.Table)
    assert expected == ("" if table is None else fold_table(table, dialect))


def test_words_of_sql() -> None:
    words, star = find_words(
        "select {{ x }}, discount_pct -- amount\nfrom Orders /* status */ where a = 'quoted -- text'", language="sql"
    )
    assert {"discount_pct", "orders", "quoted", "text"} <= words
    assert not {"amount", "status"} & words
    assert not star


@pytest.mark.parametrize(
    ("text", "star"),
    [
        ("select * from t", True),
        ("select o.* , 1 from t", True),
        ("select a, * from t", True),
        ("select distinct * from t", True),
        ("select count(*) from t", False),
        ("select a * b from t", False),
        ("select a -- select * from t", False),
        ('df = spark.sql("SELECT * FROM t")', True),
    ],
)
def test_a_star_that_selects_columns(text: str, star: bool) -> None:  # noqa: FBT001 - a test parameter
    assert star == find_words(text, language="sql")[1]


def test_words_of_python() -> None:
    words, star = find_words('# amount\nquery = "select discount_pct from orders"  # status\n', language="python")
    assert {"query", "discount_pct", "orders"} <= words
    assert not {"amount", "status"} & words
    assert not star


def test_words_of_broken_python_are_kept() -> None:
    assert "amount" in find_words("def f(:\n  # amount\n", language="python")[0]
