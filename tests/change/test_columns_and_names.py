"""Columns that others are computed from, relations by other names, and data that is put in another's place."""

from __future__ import annotations

import pytest

from app.change.altered_views import make_anew
from app.change.step_names import find_step_relations
from app.change.steps import CreateTable, DropColumn, RenameColumn, RenameTable, SwapTables
from tests.change.trees import briefs, review

ORDERS = {"migrations/0001_o.sql": "CREATE TABLE o (id int, d int, e int GENERATED ALWAYS AS (d * 2) STORED, f int);\n"}


def change(sql: str, dialect: str = "postgres") -> list[str]:
    return briefs(review(ORDERS, {**ORDERS, "migrations/0002_o.sql": sql}, dialect=dialect))


def test_a_generated_column_goes_with_what_it_is_computed_from() -> None:
    dropped = "column_dropped public.o.{} block/stops"
    assert change("ALTER TABLE o DROP COLUMN d CASCADE;") == [dropped.format("d"), dropped.format("e")]
    assert change("ALTER TABLE o DROP COLUMN f CASCADE;") == [dropped.format("f")]


def test_another_expression_is_another_meaning() -> None:
    found = change("ALTER TABLE o ALTER COLUMN e SET EXPRESSION AS (f * 2);")
    assert found == ["meaning_changed public.o.e warn/values"]


def test_another_location_is_other_data() -> None:
    assert change("ALTER TABLE o SET LOCATION 's3://other/';", "databricks") == ["meaning_changed o warn/values"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("CREATE SYNONYM raw.ord FOR raw.orders;", "CREATE VIEW raw.ord AS SELECT * FROM raw.orders;"),
        ("CREATE OR REPLACE PUBLIC SYNONYM ord FOR raw.orders", "CREATE VIEW ord AS SELECT * FROM raw.orders"),
        ("DROP SYNONYM raw.ord;", "DROP VIEW raw.ord;"),
        ("CREATE SYNONYM ord FOR orders@elsewhere;", "CREATE SYNONYM ord FOR orders@elsewhere;"),
        ("SELECT synonym FROM words;", "SELECT synonym FROM words;"),
    ],
)
def test_a_synonym_is_all_of_its_table(sql: str, expected: str) -> None:
    assert make_anew(sql, dialect="oracle") == expected


def test_every_relation_of_a_step_is_found_and_no_column() -> None:
    assert find_step_relations(SwapTables("a", "b", 1)) == ("a", "b")
    assert find_step_relations(RenameTable("a", "b", 1)) == ("a", "b")
    assert find_step_relations(CreateTable("a", 1, like="b")) == ("a", "b")
    assert find_step_relations(RenameColumn("a", "old", "new", 1)) == ("a",)
    assert find_step_relations(DropColumn("a", "c", 1)) == ("a",)
