"""A word that nobody knows is not inert: a typing error in a migration must not turn the check green."""

from __future__ import annotations

import pytest

from app.change.ddl import find_ddl
from app.change.steps import Inert, Opaque


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABEL shop.raw.orders DROP COLUMN discount_pct",
        "ALTER",
        "DROP TALBE shop.raw.orders",
        "CREATE OR REPLACE VEIW v AS SELECT 1",
        "ALTER TABLE shop.raw.orders DROOP COLUMN discount_pct",
    ],
)
@pytest.mark.parametrize("dialect", ["snowflake", "postgres", "bigquery", "tsql", "duckdb"])
def test_unknown_words_are_opaque(sql: str, dialect: str) -> None:
    assert [type(step) for step in find_ddl(sql, dialect=dialect)] == [Opaque]


@pytest.mark.parametrize(
    "sql", ["ALTER WAREHOUSE w SUSPEND", "DROP INDEX i", "CREATE INDEX i ON t (c)", "ALTER ROLE r NOLOGIN"]
)
def test_known_things_are_inert(sql: str) -> None:
    assert [type(step) for step in find_ddl(sql, dialect="postgres")] == [Inert]
