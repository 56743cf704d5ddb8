"""How far apart two types are, and what a reader makes of the new one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.change.names import complete
from app.change.types import decide_expression, find_change
from app.words import CatalogNaming


@pytest.mark.parametrize(
    ("old", "new", "dialect", "change"),
    [
        ("integer", "INT", "postgres", "same"),
        ("numeric(5,4)", "NUMERIC( 5, 4 )", "postgres", "same"),
        ("integer", "bigint", "postgres", "widening"),
        ("bigint", "integer", "postgres", "shift"),
        ("varchar(10)", "text", "postgres", "widening"),
        ("text", "varchar(10)", "postgres", "shift"),
        ("numeric(5,4)", "numeric(10,4)", "postgres", "widening"),
        ("numeric(10,4)", "numeric(10,2)", "postgres", "shift"),
        ("numeric(5,4)", "double precision", "postgres", "shift"),
        ("real", "double precision", "postgres", "widening"),
        ("timestamp", "timestamptz", "postgres", "shift"),
        ("NUMERIC", "STRING", "bigquery", "class"),
        ("INT64", "INT64", "bigquery", "same"),
        ("NUMBER(38,0)", "NUMBER(10,2)", "snowflake", "shift"),
        ("TIMESTAMP_NTZ", "TIMESTAMP_TZ", "snowflake", "shift"),
        ("jsonb", "text", "postgres", "class"),
        ("frobnitz", "text", "postgres", "class"),
    ],
)
def test_change(old: str, new: str, dialect: str, change: str) -> None:
    assert change == find_change(old, new, dialect)


@given(st.sampled_from(["int", "bigint", "text", "numeric(9,2)", "timestamp", "jsonb", "no such type"]))
def test_a_type_is_the_same_as_itself(native: str) -> None:
    assert find_change(native, native.upper(), "postgres") == "same"


@pytest.mark.parametrize(
    ("expression", "new", "dialect", "outcome"),
    [
        ("avg(raw.t.c)", "STRING", "bigquery", "rejects"),
        ("avg(raw.t.c)", "VARCHAR", "snowflake", "computes"),
        ("avg(distinct(c))", "text", "postgres", "rejects"),
        ("mul(c, 2)", "text", "postgres", "rejects"),
        ("count(c)", "text", "postgres", "computes"),
        ("coalesce(c, 0)", "double precision", "postgres", "computes"),
        ("sum(c)", "double precision", "postgres", "computes"),
        ("datediff(currentdate(), c, var(DAY))", "text", "bigquery", "rejects"),
        ("my_function(c)", "text", "postgres", "undecided"),
        ("c", "text", "postgres", "undecided"),
        ("add(count(c), avg(c))", "text", "postgres", "rejects"),
        ("avg('c')", "text", "postgres", "undecided"),
        ("avg(other)", "text", "postgres", "undecided"),
    ],
)
def test_outcome(expression: str, new: str, dialect: str, outcome: str) -> None:
    assert outcome == decide_expression(expression, "c", new, dialect)


@pytest.mark.parametrize(
    ("name", "dialect", "naming", "complete_name"),
    [
        ("t", "postgres", CatalogNaming(), "public.t"),
        ("t", "tsql", CatalogNaming(), "dbo.t"),
        ("t", "duckdb", CatalogNaming(), "main.t"),
        ("t", "snowflake", CatalogNaming(), "t"),
        ("s.t", "snowflake", CatalogNaming(database="Shop"), "shop.s.t"),
        ("t", "snowflake", CatalogNaming(database="shop", schema="raw"), "shop.raw.t"),
        ("d.s.t", "snowflake", CatalogNaming(database="shop", schema="raw"), "d.s.t"),
        ("t", "mysql", CatalogNaming(database="shop"), "shop.t"),
        ("s.t", "mysql", CatalogNaming(database="shop"), "s.t"),
        ('"a.b".t', "postgres", CatalogNaming(database="shop"), 'shop."a.b".t'),
    ],
)
def test_names(name: str, dialect: str, naming: CatalogNaming, complete_name: str) -> None:
    assert complete_name == complete(name, dialect=dialect, naming=naming)
