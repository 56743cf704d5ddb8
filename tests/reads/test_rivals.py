"""Which names a new column would disturb: ambiguous, captured, joined by, or given twice."""

from __future__ import annotations

import pytest

from app.reads import read_statements

SCHEMA = {
    "orders": {"order_id": "int", "customer_id": "int", "discount": "numeric"},
    "customers": {"customer_id": "int", "region": "text"},
}
CTAS = "CREATE TABLE f AS "


def rivals(sql: str, dialect: str = "postgres") -> set[str]:
    """`table.column effect[?]` and the outputs that change, if not all."""
    (statement,) = read_statements(sql, dialect=dialect, schema=SCHEMA)
    return {
        f"{r.relation}.{r.column} {r.effect}{'' if r.certain else '?'}"
        + (f" {','.join(r.outputs)}" if r.outputs is not None else "")
        for r in statement.rivals
    }


@pytest.mark.parametrize(
    ("sql", "dialect", "expected"),
    [
        ("SELECT region FROM orders o JOIN customers c ON true", "postgres", {"orders.region stops"}),
        ("SELECT c.region FROM orders o JOIN customers c ON true", "postgres", set()),
        ("SELECT region FROM customers", "postgres", set()),
        ("SELECT region FROM orders o JOIN customers c ON true", "clickhouse", {"orders.region stops?"}),
        (
            "SELECT c.customer_id, (SELECT max(discount) FROM orders o WHERE region = 'n') AS d FROM customers c",
            "postgres",
            {"orders.region values d"},
        ),
        (
            "SELECT 1 AS one FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE region = 'n')",
            "postgres",
            {"orders.region values"},
        ),
        ("SELECT discount * 100 AS pct, pct + 1 AS d FROM orders", "snowflake", {"orders.pct values d"}),
        ("SELECT discount * 100 AS pct, pct + 1 AS d FROM orders", "clickhouse", set()),
        ("SELECT discount AS d FROM orders ORDER BY d", "postgres", set()),
        ("SELECT discount AS d, count(*) AS n FROM orders GROUP BY d", "postgres", {"orders.d values"}),
        (
            "SELECT o.customer_id FROM orders o JOIN customers c USING (customer_id)",
            "postgres",
            set(),
        ),
        (
            "WITH x AS (SELECT o.*, c.region FROM orders o JOIN customers c ON true) SELECT x.region FROM x",
            "postgres",
            {"orders.region stops"},
        ),
        (
            "WITH x AS (SELECT o.*, c.region FROM orders o JOIN customers c ON true) SELECT x.discount FROM x",
            "duckdb",
            set(),
        ),
        (
            "SELECT discount FROM (SELECT * FROM orders UNION ALL BY NAME SELECT * FROM customers) u",
            "duckdb",
            set(),
        ),
        (
            "WITH x(a, b) AS (SELECT * FROM customers) SELECT b FROM x JOIN orders o ON true",
            "postgres",
            {"orders.b stops"},
        ),
    ],
)
def test_rivals_of_a_query(sql: str, dialect: str, expected: set[str]) -> None:
    assert rivals(sql, dialect) == expected


@pytest.mark.parametrize(
    ("sql", "dialect", "expected"),
    [
        ("SELECT *, 1 AS d FROM orders", "postgres", {"orders.d stops"}),
        ("SELECT *, 1 AS d FROM orders", "duckdb", {"orders.d values d"}),
        ("SELECT 1 AS d, * FROM orders", "duckdb", set()),
        ("SELECT 1 AS d, * EXCLUDE (order_id) FROM orders", "snowflake", {"orders.d stops"}),
        ("SELECT d FROM (SELECT *, 1 AS d FROM orders) x", "postgres", {"orders.d stops"}),
    ],
)
def test_one_name_twice(sql: str, dialect: str, expected: set[str]) -> None:
    assert rivals(CTAS + sql, dialect) == expected


def test_natural_joins_compare_what_comes_to_both_sides() -> None:
    found = rivals("SELECT 1 AS one FROM orders NATURAL JOIN customers")
    assert {"orders.region values", "customers.discount values", "customers.order_id values"} <= found


def test_natural_joins_over_unknown_columns_may_compare_anything() -> None:
    (statement,) = read_statements("SELECT 1 FROM orders NATURAL JOIN elsewhere", dialect="postgres", schema=SCHEMA)
    assert {(r.relation, r.column, r.certain) for r in statement.rivals} == {
        ("orders", "*", False),
        ("elsewhere", "order_id", True),
        ("elsewhere", "customer_id", True),
        ("elsewhere", "discount", True),
    }


def test_using_is_ambiguous_on_its_left_side() -> None:
    sql = "SELECT 1 AS one FROM orders o JOIN customers c ON true JOIN orders x USING (region)"
    assert "orders.region stops" in rivals(sql)


def test_the_tables_that_stars_hand_on_whole() -> None:
    sql = "CREATE TABLE f AS SELECT * FROM (SELECT * FROM orders) x UNION ALL SELECT * FROM customers"
    (statement,) = read_statements(sql, dialect="postgres", schema=SCHEMA)
    assert statement.wide == ("orders", "customers")
    assert statement.unions == ((("orders",), ("customers",)),)
