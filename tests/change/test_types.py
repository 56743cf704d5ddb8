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
from app.reads import Expression, Statement, read_statements
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
        ("avg(distinct c)", "text", "postgres", "rejects"),
        ("c * 2", "text", "postgres", "rejects"),
        ("count(c)", "text", "postgres", "computes"),
        ("coalesce(c, 0)", "double precision", "postgres", "computes"),
        ("sum(c)", "double precision", "postgres", "computes"),
        ("date_diff(current_date(), c, day)", "text", "bigquery", "rejects"),
        ("my_function(c)", "text", "postgres", "undecided"),
        ("c", "text", "postgres", "undecided"),
        ("count(c) + avg(c)", "text", "postgres", "rejects"),
        ("avg('c')", "text", "postgres", "computes"),
        ("avg(other)", "text", "postgres", "computes"),
        ("avg(c)", "text", "tsql", "rejects"),
        ("c * 2", "varchar(10)", "tsql", "undecided"),
        ("sum(c)", "BOOLEAN", "snowflake", "rejects"),
        ("sum(c)", "boolean", "mysql", "undecided"),
        ("round(min(c), 2)", "text", "postgres", "rejects"),
        ("min(c)", "text", "postgres", "computes"),
        ("lower(c)", "integer", "postgres", "rejects"),
        ("lower(c)", "NUMBER(9,0)", "snowflake", "computes"),
        ("c like 'a%'", "INT64", "bigquery", "rejects"),
        ("c > 5", "text", "postgres", "rejects"),
        ("c > 5", "VARCHAR", "snowflake", "undecided"),
        ("c = 'DE'", "integer", "postgres", "rejects"),
        ("c = '7'", "integer", "postgres", "undecided"),
        ("c = '7'", "INT64", "bigquery", "rejects"),
        ("c = 'DE'", "int", "mysql", "undecided"),
        ("c in (1, 2)", "boolean", "postgres", "rejects"),
        ("where c", "integer", "postgres", "rejects"),
        ("where c", "boolean", "postgres", "computes"),
        ("where c > 5", "text", "trino", "rejects"),
        ("case when c = 1 then 's' else s end", "text", "postgres", "rejects"),
        ("case when s = 1 then c end", "text", "postgres", "undecided"),
        ("coalesce(c, 0)", "text", "postgres", "rejects"),
        ("coalesce(c, 'none')", "integer", "bigquery", "undecided"),
        ("c - 1", "date", "postgres", "undecided"),
        ("avg(c)", "jsonb", "postgres", "rejects"),
        ("sum(c)", "JSON", "bigquery", "rejects"),
        ("avg(c)", "variant", "snowflake", "undecided"),
        ("sum(c)", "numeric[]", "postgres", "rejects"),
        ("c * 2", "ARRAY<FLOAT64>", "bigquery", "rejects"),
        ("avg(c)", "array", "snowflake", "rejects"),
        ("avg(c)", "ARRAY<DOUBLE>", "databricks", "rejects"),
        ("avg(c)", "Array(Float64)", "clickhouse", "rejects"),
        ("avg(c)", "array(double)", "trino", "rejects"),
        ("max(c)", "jsonb", "postgres", "computes"),
        ("sum(c)", "uuid", "postgres", "rejects"),
        ("sum(c)", "uniqueidentifier", "tsql", "rejects"),
        ("c > 5", "jsonb", "postgres", "rejects"),
        ("lower(c)", "ARRAY<STRING>", "bigquery", "rejects"),
        ("sign(c)", "STRING", "bigquery", "rejects"),
        ("case when q > 1 then c else 0 end", "text", "postgres", "rejects"),
        ("case when q > 1 then c else 0 end", "bigint", "postgres", "computes"),
        ("case when q > 1 then c else 0 end", "varchar", "snowflake", "undecided"),
        ("avg(case when q > 1 then c end)", "text", "postgres", "rejects"),
        ("coalesce(max(c), 0) * 2", "text", "postgres", "rejects"),
        ("round(max(case when q > 1 then c end) over (partition by s))", "text", "postgres", "rejects"),
        ("c = upper(s)", "integer", "postgres", "rejects"),
        ("c = count(s)", "text", "postgres", "rejects"),
        ("c = cast(s as integer)", "text", "postgres", "rejects"),
    ],
)
def test_outcome(expression: str, new: str, dialect: str, outcome: str) -> None:
    assert outcome == decide_expression(read_expression(expression, dialect), "c", new, dialect)


def read_expression(sql: str, dialect: str) -> Expression:
    """As it stands in a SELECT, or in its WHERE."""
    text = f"SELECT 1 FROM raw.t {sql}" if sql.startswith("where ") else f"SELECT {sql} AS x FROM raw.t"  # noqa: S608 - the test's own
    (statement,) = read_statements(text, dialect=dialect)
    clauses = [clause for clause in statement.meaning if clause.name == "where"]
    return clauses[0] if clauses else statement.outputs[0].expression


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


OPERATIONS = (
    "avg(c)", "sum(c)", "c * 2", "c + 1", "-c", "abs(c)", "round(c)", "sqrt(c)", "lower(c)", "length(c)", "c LIKE 'a%'",
    "substr(c, 1, 2)", "c > 5", "c = 'DE'", "c IN (1, 2)", "date_trunc('month', c)", "extract(year FROM c)", "coalesce(c, 0)",
    "coalesce(c, 'x')", "min(c)", "count(c)", "NOT c", "CASE WHEN c THEN 1 END", "CASE WHEN true THEN c ELSE 0 END", "c % 2",
    "c >= now() - INTERVAL 30 DAY", "c > current_date", "c = 'failed'",
    "round(max(c))", "avg(CASE WHEN true THEN c END)", "lower(max(c))", "abs(coalesce(c, c))",
)  # fmt: skip
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
    outcome = decide_expression(read_expression(operation, "duckdb"), "c", type_, "duckdb")
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
