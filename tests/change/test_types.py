"""How far apart two types are, and what a reader makes of the new one."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.change.coercion import decide_expression, decide_reader, find_handed_on
from app.change.names import complete
from app.change.types import find_change
from app.reads import Statement, read_statements
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
        ("avg('c')", "text", "postgres", "computes"),
        ("avg(other)", "text", "postgres", "computes"),
        ("avg(c)", "text", "tsql", "rejects"),
        ("mul(c, 2)", "varchar(10)", "tsql", "undecided"),
        ("sum(c)", "BOOLEAN", "snowflake", "rejects"),
        ("sum(c)", "boolean", "mysql", "undecided"),
        ("round(min(c), 2)", "text", "postgres", "rejects"),
        ("min(c)", "text", "postgres", "computes"),
        ("lower(c)", "integer", "postgres", "rejects"),
        ("lower(c)", "NUMBER(9,0)", "snowflake", "computes"),
        ("like(c, 'a%')", "INT64", "bigquery", "rejects"),
        ("gt(c, 5)", "text", "postgres", "rejects"),
        ("gt(c, 5)", "VARCHAR", "snowflake", "undecided"),
        ("eq(c, 'DE')", "integer", "postgres", "rejects"),
        ("eq(c, '7')", "integer", "postgres", "undecided"),
        ("eq(c, '7')", "INT64", "bigquery", "rejects"),
        ("eq(c, 'DE')", "int", "mysql", "undecided"),
        ("in(c, 1, 2)", "boolean", "postgres", "rejects"),
        ("where c", "integer", "postgres", "rejects"),
        ("where c", "boolean", "postgres", "computes"),
        ("where gt(c, 5)", "text", "trino", "rejects"),
        ("case(if(eq(c, 1), 's'), s)", "text", "postgres", "rejects"),
        ("case(if(eq(s, 1), c))", "text", "postgres", "undecided"),
        ("coalesce(c, 0)", "text", "postgres", "rejects"),
        ("coalesce(c, 'none')", "integer", "bigquery", "undecided"),
        ("sub(c, 1)", "date", "postgres", "undecided"),
        ("avg(c)", "jsonb", "postgres", "rejects"),
        ("sum(c)", "JSON", "bigquery", "rejects"),
        ("avg(c)", "variant", "snowflake", "undecided"),
        ("sum(c)", "numeric[]", "postgres", "rejects"),
        ("mul(c, 2)", "ARRAY<FLOAT64>", "bigquery", "rejects"),
        ("avg(c)", "array", "snowflake", "rejects"),
        ("avg(c)", "ARRAY<DOUBLE>", "databricks", "rejects"),
        ("avg(c)", "Array(Float64)", "clickhouse", "rejects"),
        ("avg(c)", "array(double)", "trino", "rejects"),
        ("max(c)", "jsonb", "postgres", "computes"),
        ("sum(c)", "uuid", "postgres", "rejects"),
        ("sum(c)", "uniqueidentifier", "tsql", "rejects"),
        ("gt(c, 5)", "jsonb", "postgres", "rejects"),
        ("lower(c)", "ARRAY<STRING>", "bigquery", "rejects"),
        ("sign(c)", "STRING", "bigquery", "rejects"),
        ("case(if(gt(q, 1), c), 0)", "text", "postgres", "rejects"),
        ("case(if(gt(q, 1), c), 0)", "bigint", "postgres", "computes"),
        ("case(if(gt(q, 1), c), 0)", "varchar", "snowflake", "undecided"),
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


#: what DuckDB is asked -> how `app.reads` writes it
OPERATIONS = {
    "avg(c)": "avg(c)", "sum(c)": "sum(c)", "c * 2": "mul(c, 2)", "c + 1": "add(c, 1)", "-c": "neg(c)",
    "abs(c)": "abs(c)", "round(c)": "round(c)", "sqrt(c)": "sqrt(c)", "lower(c)": "lower(c)", "length(c)": "length(c)",
    "c LIKE 'a%'": "like(c, 'a%')", "substr(c, 1, 2)": "substring(c, 1, 2)", "c > 5": "gt(c, 5)",
    "c = 'DE'": "eq(c, 'DE')", "c IN (1, 2)": "in(c, 1, 2)", "date_trunc('month', c)": "timestamptrunc(c, var(MONTH))",
    "extract(year FROM c)": "extract(var(YEAR), c)", "coalesce(c, 0)": "coalesce(c, 0)",
    "coalesce(c, 'x')": "coalesce(c, 'x')", "min(c)": "min(c)", "count(c)": "count(c)", "NOT c": "not(c)",
    "CASE WHEN c THEN 1 END": "case(if(c, 1))",
    "CASE WHEN true THEN c ELSE 0 END": "case(if(true, c), 0)", "c % 2": "mod(c, 2)", "round(max(c))": "round(max(c))",
}  # fmt: skip
TYPES = {
    "INTEGER": "1", "DECIMAL(5,2)": "1.5", "DOUBLE": "1.5", "VARCHAR": "'x'", "BOOLEAN": "true",
    "DATE": "DATE '2020-01-01'", "TIMESTAMP": "TIMESTAMP '2020-01-01'", "JSON": "'{}'", "INTEGER[]": "[1]", "UUID": "uuid()",
    "STRUCT(a INTEGER)": "{'a': 1}",
}  # fmt: skip


@pytest.fixture(scope="module")
def db() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:", config={"threads": 1}) as made:
        yield made


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_duckdb_agrees(db: duckdb.DuckDBPyConnection, operation: str, type_: str) -> None:
    db.execute(f"CREATE OR REPLACE TABLE t (c {type_})")
    db.execute(f"INSERT INTO t VALUES ({TYPES[type_]})")  # noqa: S608 - the test's own constants
    try:
        db.execute(f"SELECT {operation} FROM t").fetchall()  # noqa: S608
        runs = True
    except duckdb.Error:
        runs = False
    outcome = decide_expression(OPERATIONS[operation], "c", type_, "duckdb")
    assert outcome != ("rejects" if runs else "computes")


def test_a_reader_is_asked_for_all_that_it_does() -> None:
    schema = {"raw.t": {"c": "numeric", "k": "text"}}

    def read(sql: str) -> Statement:
        (statement,) = read_statements(sql, dialect="postgres", schema=schema)
        return statement

    names = frozenset({"raw.t"})
    assert decide_reader(read("SELECT k FROM raw.t WHERE c > 5"), names, "c", "text", "postgres") == "rejects"
    assert (
        decide_reader(read("SELECT k FROM raw.t WHERE c > 5"), frozenset({"x"}), "c", "text", "postgres") == "computes"
    )
    assert decide_reader(read("SELECT avg(c) a FROM raw.t"), names, "c", "text", "snowflake") == "computes"
    assert decide_reader(read("SELECT c, k FROM raw.t"), names, "c", "text", "postgres") == "computes"
    assert find_handed_on(read("SELECT c, c + 1 AS d, k FROM raw.t"), names, "c") == ("c",)
    assert find_handed_on(read("SELECT * FROM raw.t"), names, "c") == ("c",)
    assert find_handed_on(read("SELECT c AS other FROM (SELECT * FROM raw.t) s"), names, "c") == ("other",)


@pytest.mark.parametrize(
    ("dialect", "new", "other", "outcome"),
    [
        ("postgres", "text", "integer", "rejects"),
        ("postgres", "text", "text", "undecided"),
        ("postgres", "integer", "text", "rejects"),
        ("postgres", "bigint", "integer", "undecided"),
        ("bigquery", "STRING", "INT64", "rejects"),
        ("trino", "varchar", "bigint", "rejects"),
        ("clickhouse", "String", "Int32", "rejects"),
        ("snowflake", "varchar", "number", "undecided"),
        ("duckdb", "VARCHAR", "INTEGER", "undecided"),
        ("mysql", "varchar(20)", "int", "undecided"),
        ("postgres", "text", "", "undecided"),
    ],
)
def test_a_column_beside_another_one(dialect: str, new: str, other: str, outcome: str) -> None:
    schema = {"raw.t": {"c": "", "k": "text"}, "raw.u": {"c": other}}
    (statement,) = read_statements("SELECT k FROM raw.t JOIN raw.u ON t.c = u.c", dialect=dialect, schema=schema)
    assert decide_reader(statement, frozenset({"raw.t"}), "c", new, dialect, schema) == outcome
