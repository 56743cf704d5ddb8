"""What the change does to SQL of other repositories that no file here names: calls of functions, views over stars."""

from __future__ import annotations

import pytest

from tests.change.trees import briefs, review

FUNCTION = "CREATE OR REPLACE FUNCTION shop.pct(x numeric) RETURNS numeric LANGUAGE sql AS $$ SELECT x * 100 $$;"
USER = {"f.sql": "CREATE TABLE shop.f AS SELECT shop.pct(a) AS b FROM shop.t;"}
TABLE = {"migrations/0001_t.sql": "CREATE TABLE shop.t (a int, b int);"}
STAR = {"v.sql": "CREATE VIEW shop.v AS SELECT * FROM shop.t;"}
NAMES = {"v.sql": "CREATE VIEW shop.v AS SELECT a FROM (SELECT a FROM shop.t) x;"}


def test_a_dropped_function_is_called_elsewhere() -> None:
    head = {"migrations/0002_d.sql": "DROP FUNCTION shop.pct(numeric);"}
    found = briefs(review({"functions/pct.sql": FUNCTION}, head, readers=USER))
    assert found == ["view_invalidated shop.f block/stops"]
    assert briefs(review({}, head, readers=USER)) == found  # made who knows where
    assert briefs(review(head, {**head, "x.sql": "SELECT 1;"}, readers=USER)) == []  # dropped long ago


def test_another_body_is_called_elsewhere() -> None:
    report = review({"p.sql": FUNCTION}, {"p.sql": FUNCTION.replace("100", "10")}, readers=USER)
    assert briefs(report) == ["meaning_changed shop.f.b warn/values"]


@pytest.mark.parametrize(
    ("dialect", "change", "view", "invalid"),
    [
        ("snowflake", "DROP COLUMN b", STAR, True),
        ("snowflake", "ADD COLUMN c int", STAR, False),
        ("snowflake", "DROP COLUMN b", NAMES, False),
        ("trino", "DROP COLUMN b", STAR, True),
        ("trino", "ADD COLUMN c int", STAR, True),
        ("trino", "ADD COLUMN c int", NAMES, False),
        ("athena", "ADD COLUMNS (c int)", STAR, True),
        ("postgres", "ADD COLUMN c int", STAR, False),
        ("duckdb", "DROP COLUMN b", STAR, False),
    ],
)
def test_a_star_view_elsewhere_keeps_its_columns(
    dialect: str,
    change: str,
    view: dict[str, str],
    invalid: bool,  # noqa: FBT001
) -> None:
    head = {**TABLE, "migrations/0002_c.sql": f"ALTER TABLE shop.t {change};"}
    found = briefs(review(TABLE, head, dialect=dialect, readers=view))
    assert ("view_invalidated shop.v block/stops" in found) == invalid
