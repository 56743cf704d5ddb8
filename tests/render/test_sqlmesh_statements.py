"""Statements around the query of a SQLMesh model."""

from __future__ import annotations

from app.render import SqlText
from tests.render.trees import render, words

_HEADER = "MODEL (name core.m, kind {});\n"


def hooks(text: str, kind: str = "FULL") -> list[SqlText]:
    return [found for found in render({"models/m.sql": _HEADER.format(kind) + text}) if found.kind == "hook"]


def test_a_statement_behind_the_query_is_sql_of_its_own_at_its_line() -> None:
    (found,) = hooks("SELECT 1 AS a, ';' AS b -- ; ALTER\n;\nALTER TABLE @this_model DROP COLUMN b;\n")

    at = found.sql.split("\n").index("ALTER TABLE core.m DROP COLUMN b;")
    assert (words(found), found.lines[at], found.rebuilt) == ("ALTER TABLE core.m DROP COLUMN b;", 4, None)


def test_what_stands_before_the_query_is_undone_where_the_table_is_made_anew() -> None:
    text = "DROP TABLE IF EXISTS @this_model;\nWITH x AS (SELECT 1 AS a) SELECT a FROM x"

    assert [one.rebuilt for one in hooks(text)] == ["core.m"]
    assert [one.rebuilt for one in hooks(text, "INCREMENTAL_BY_UNIQUE_KEY (unique_key a)")] == [None]


def test_statements_that_change_no_relation_are_left_to_the_model() -> None:
    assert hooks("SET x = 1;\nSELECT 1 AS a;\nGRANT SELECT ON @this_model TO bi;") == []
