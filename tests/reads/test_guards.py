"""Hostile and absurd input: one clear reason, in time, and the other statements are still read."""

from __future__ import annotations

import pickle
import time

import pytest

from app.reads import Unreadable, find_reads, read_statements

DEEP = {
    "brackets": "select " + "(" * 1000 + "1" + ")" * 1000,
    "functions": "select " + "coalesce(" * 1000 + "a" + ")" * 1000 + " from t",
    "subqueries": "select * from " + "(select * from " * 10_000 + "t" + ")" * 10_000,
    "case": "select " + "case when a then " * 1000 + "1" + " end" * 1000 + " from t",
    "not": "select " + "not " * 1000 + "a from t",
    "minus": "select " + "- " * 1000 + "a from t",
    "subscripts": "select a" + "[0]" * 2000 + " from t",
}


@pytest.mark.parametrize("name", DEEP)
def test_too_deep_is_one_clear_reason(name: str) -> None:
    with pytest.raises(Unreadable, match="nested deeper than 200 levels"):
        find_reads(DEEP[name], dialect="duckdb")


@pytest.mark.parametrize("depth", [10, 60, 190])
def test_real_depth_is_read(depth: int) -> None:
    sql = "select " + "coalesce(" * depth + "a" + ", 0)" * depth + " as x from t"  # noqa: S608 - a test
    assert [(read.relation, read.column) for read in find_reads(sql, dialect="snowflake")] == [("t", "a")]


@pytest.mark.parametrize("operator", ["or", "||", "+", "and"])
def test_long_chains_are_read(operator: str) -> None:
    sql = "select a " + f"{operator} b " * 5000 + "as x from t"
    (statement,) = read_statements(sql, dialect="snowflake")
    assert {"a", "b"} == {read.column for read in statement.reads}
    assert {"a", "b"} == {ref.column for ref in statement.outputs[0].sources}


def test_long_unions_are_read() -> None:
    sql = " union all ".join(f"select c{n} as x from t" for n in range(1200))  # noqa: S608 - a test
    (statement,) = read_statements(sql, dialect="snowflake")
    assert len(statement.reads) == 1200
    assert len(statement.outputs[0].sources) == 1200


def test_size_is_limited() -> None:
    with pytest.raises(Unreadable, match="the limit is 1,000,000"):
        find_reads("select 1 -- " + "x" * 1_000_001, dialect="duckdb")


def test_the_number_of_statements_is_limited() -> None:
    with pytest.raises(Unreadable, match=r"2,001 statements; the limit is 2,000"):
        read_statements("select 1;" * 2001, dialect="duckdb")


def test_a_load_of_rows_is_cut_not_parsed() -> None:
    rows = ",\n".join(f"({n}, 'text {n}')" for n in range(30_000))
    started = time.process_time()
    first, second = read_statements(f"insert into raw.t (a, b) values\n{rows};\nselect c from u;", dialect="mysql")
    assert time.process_time() - started < 10
    assert (first.kind, first.target, tuple(out.name for out in first.outputs)) == ("insert", "raw.t", ("a", "b"))
    assert (second.kind, second.line) == ("query", 30_002)


def test_one_bad_statement_loses_no_other() -> None:
    sql = "select a from t;\n\nselect b frm u where;\n-- a comment; with a semicolon\nselect ';' as c, d\n  from v;"
    statements = read_statements(sql, dialect="postgres")
    assert [statement.kind for statement in statements] == ["query", "opaque", "query"]
    assert [(statement.line, statement.end_line) for statement in statements] == [(1, 1), (3, 3), (5, 6)]
    assert [(read.relation, read.column, read.line) for read in statements[2].reads] == [("v", "d", 5)]


@pytest.mark.parametrize("text", ["", "   \n", ";;;", "-- nothing\n", "/* nothing */", "\ufeff"])
def test_nothing_is_nothing(text: str) -> None:
    assert tuple(one for one in read_statements(text, dialect="snowflake") if one.kind != "opaque") == ()


def test_lines_survive_windows_endings_and_a_byte_order_mark() -> None:
    (statement,) = read_statements("\ufeffselect a,\r\n  b\r\nfrom t\r\n", dialect="snowflake")
    assert [(read.column, read.line) for read in statement.reads] == [("a", 1), ("b", 2)]


def test_batches_of_t_sql() -> None:
    sql = "select a from t\nGO\ncreate procedure p as begin select b from u; select 1; end\nGO\nselect c from v"
    statements = read_statements(sql, dialect="tsql")
    assert [statement.kind for statement in statements] == ["query", "opaque", "query"]


def test_psql_commands_are_no_sql() -> None:
    (statement,) = read_statements("\\set x 1\n\\connect db\nselect a from t;\n", dialect="postgres")
    assert (statement.kind, statement.line) == ("query", 3)


def test_a_block_is_one_statement() -> None:
    sql = "create procedure p() begin\n  select 1;\n  if x then select 2; end if;\nend;\nselect a from t;"
    statements = read_statements(sql, dialect="mysql")
    assert [(one.kind, one.line, one.end_line) for one in statements] == [("opaque", 1, 4), ("query", 5, 5)]


def test_statements_and_reasons_travel_between_processes() -> None:
    statements = read_statements("select a from t; select", dialect="snowflake")
    assert statements == pickle.loads(pickle.dumps(statements))  # noqa: S301 - our own bytes
    error = pickle.loads(pickle.dumps(Unreadable("why", line=3)))  # noqa: S301 - our own bytes
    assert (error.reason, error.line) == ("why", 3)


DOUBLING = {
    "stars of joins": "select * from c{n} a join c{n} b on a.k = b.k",
    "unions of stars": "select * from c{n} union all select * from c{n}",
    "whole rows": "select coalesce(a, a) as k from c{n} a join c{n} b on true",
    "expressions": "select k || k as k from c{n}",
}


@pytest.mark.parametrize("schema", [None, {"t": {"k": "", "x": ""}}], ids=["unknown", "known"])
@pytest.mark.parametrize("name", DOUBLING)
def test_doubling_at_every_step_does_not_blow_up(name: str, schema: dict[str, dict[str, str]] | None) -> None:
    steps = ", ".join(f"c{n} as ({DOUBLING[name].format(n=n - 1)})" for n in range(1, 60))
    sql = f"with c0 as (select * from t), {steps} select * from c59"  # noqa: S608 - a test
    started = time.process_time()
    reads = find_reads(sql, dialect="duckdb", schema=schema)
    (statement,) = read_statements(sql, dialect="duckdb", schema=schema)
    assert time.process_time() - started < 5
    assert {read.relation for read in reads} <= {"t"}
    assert statement.relations == ("t",) or "output columns; the limit is 5,000" in statement.why


@pytest.mark.parametrize("branch", ["select c + 1 as c from t", "select * from t", "select t as c from t"])
def test_recursion_in_many_branches_ends(branch: str) -> None:
    inner = " union all ".join([branch] * 8)
    sql = f"with recursive t(c) as (select k from z union all select * from ({inner}) q) select c from t"  # noqa: S608 - a test
    started = time.process_time()
    (statement,) = read_statements(sql, dialect="postgres")
    assert time.process_time() - started < 2
    assert ("z", "k") in {(read.relation, read.column) for read in statement.reads}
    assert ("z", "k") in {(ref.relation, ref.column) for ref in statement.outputs[0].sources}
