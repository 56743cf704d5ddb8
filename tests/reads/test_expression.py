"""What two texts must have in common to compute the same, and how a difference is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reads import Statement, change_leaves, find_nodes, read_statements, show, show_change
from app.reads.expression import MOST_DEPTH, MOST_NODES, ColumnLeaf, Expression, FoldedTree, StarLeaf, spell
from app.source.bundle import pack, unpack

SCHEMA = {"t": {"a": "int", "b": "int", "k": "text"}}


def read(sql: str, dialect: str = "postgres") -> Statement:
    (statement,) = read_statements(sql, dialect=dialect, schema=SCHEMA)
    return statement


def tree(sql: str, dialect: str = "postgres") -> Expression:
    return read(f"SELECT {sql} AS x FROM t", dialect).outputs[0].expression  # noqa: S608 - the test's own constants


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b", "b + (a)"),
        ("a * b * 2", "2 * (b * a)"),
        ("a > 1 AND b < 2 AND k = 'x'", "(b < 2 AND 'x' = k) AND 1 < a"),
        ("a IN (1, 2, 3)", "a IN (3, 1, 2)"),
        ("a <> b", "b != a"),
        ("a BETWEEN 1 AND b", "b >= a AND a >= 1"),
        ("a IN (1)", "a = 1"),
        ("a = 1 OR (a = 3 OR 2 = a)", "a IN (3, 2, 1)"),
        ("k = 'x' OR k = 'y' OR (a = 1 AND b = 1)", "(b = 1 AND a = 1) OR (k = 'y' OR k = 'x')"),
        ("count(*)", "count(1)"),
        ("CASE k WHEN 'x' THEN a END", "CASE WHEN k = 'x' THEN a END"),
        ("sum(a) OVER (PARTITION BY k)", "SUM( t.a ) over (partition by K)"),
        ("EXISTS (SELECT 1 FROM t u WHERE u.a = t.b)", "EXISTS (SELECT 1 FROM t v WHERE t.b = v.a)"),
        ("(WITH c AS (SELECT a AS z FROM t) SELECT max(z) FROM c)", "(SELECT max(a) FROM t)"),
    ],
)
def test_they_compute_the_same(one: str, other: str) -> None:
    assert tree(one) == tree(other)
    assert spell(tree(one)) == spell(tree(other))


@pytest.mark.parametrize(
    ("one", "other", "dialect"),
    [
        ("a - b", "b - a", "postgres"),
        ("a - (b - 1)", "a - b - 1", "postgres"),
        ("coalesce(a, b)", "coalesce(b, a)", "postgres"),
        ("k || 'x'", "'x' || k", "postgres"),
        ("k + 'x'", "'x' + k", "tsql"),
        ("a IN (1, 2)", "1 IN (a, 2)", "postgres"),
        ("k = '1'", "k = 1", "postgres"),
        ("CAST(a AS int)", "CAST(a AS bigint)", "postgres"),
        ("sum(a) OVER (PARTITION BY k)", "sum(a) OVER (ORDER BY k)", "postgres"),
        ("a > b", "a < b", "postgres"),
        ("a = 1 OR b = 2", "a IN (1, 2)", "postgres"),
        ("a IN (SELECT b FROM t)", "a = (SELECT b FROM t)", "postgres"),
        ("a BETWEEN 1 AND 2", "a BETWEEN 2 AND 1", "postgres"),
        ("count(a)", "count(*)", "postgres"),
        ("NOT a IN (1, 2)", "a IN (1, 2)", "postgres"),
    ],
)
def test_they_do_not(one: str, other: str, dialect: str) -> None:
    assert tree(one, dialect) != tree(other, dialect)


def test_numbers_change_places_in_tsql_too() -> None:
    assert tree("a * 2 + b", "tsql") == tree("b + 2 * a", "tsql")


QUERIES = st.sampled_from([
    "SELECT a + b AS x, k, a FROM t WHERE k = 'x'",
    "SELECT sum(a) AS x, k FROM t GROUP BY k",
    "SELECT k AS x, max(b) AS y FROM t GROUP BY 1",
    "SELECT DISTINCT k AS x, a FROM t",
    "SELECT a AS x FROM t UNION ALL SELECT b FROM t",
    "SELECT k AS x, a FROM t ORDER BY 2 DESC LIMIT 3",
])  # fmt: skip
AROUND = st.sampled_from([
    "WITH c AS ({query}) SELECT * FROM c",
    "SELECT * FROM ({query}) s",
    "WITH c AS ({query}), d AS (SELECT * FROM c) SELECT d.* FROM d",
    "WITH c AS ({query}) SELECT {names} FROM c",
    "SELECT s.* FROM (SELECT {names} FROM ({query}) r) s",
])  # fmt: skip


@given(QUERIES, AROUND)
def test_where_a_query_stands_leaves_no_trace(query: str, around: str) -> None:
    plain = read(query)
    names = ", ".join(output.name for output in plain.outputs)
    moved = read(around.format(query=query, names=names))
    assert [(o.name, o.expression, o.sources, o.via_star) for o in moved.outputs] == [
        (o.name, o.expression, o.sources, o.via_star) for o in plain.outputs
    ]
    assert moved.meaning == plain.meaning


def test_a_place_and_a_name_order_alike() -> None:
    assert (
        read("SELECT a, k AS n FROM t ORDER BY 2 LIMIT 3").meaning
        == read("SELECT a, k AS n FROM t ORDER BY n LIMIT 3").meaning
    )
    assert (
        read("SELECT a, k AS n FROM t ORDER BY 1 LIMIT 3").meaning
        != read("SELECT a, k AS n FROM t ORDER BY n LIMIT 3").meaning
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("sum(a)", "sum(b)", "t.a -> t.b"),
        ("case when k='tax' then a end", "case when k='vat' then a end", "k='tax' -> k='vat'"),
        ("split_part(k, '-', 1)", "split_part(k, '-', 2)", "split_part(k, '-', 1) -> split_part(k, '-', 2)"),
        ("a::numeric(5,2) + 1", "a::text", "a::numeric(5,2) + 1 -> a::text"),
        ("coalesce(a,  b) is null", "coalesce(b, a) is null", "coalesce(a, b) -> coalesce(b, a)"),
        ("not (a > 1)", "not (a > 1 or b > 2)", "a > 1 -> a > 1 or b > 2"),
    ],
)
def test_a_change_is_said_in_the_author_s_words(before: str, after: str, said: str) -> None:
    assert show_change([tree(before)], [tree(after)]) == said


def test_a_condition_is_said_with_its_clause() -> None:
    old, new = (read(f"SELECT k FROM t WHERE a > {n} AND b = 1").meaning for n in (5, 7))  # noqa: S608
    assert show_change(old, new) == "where: a > 5 -> a > 7"
    assert show_change(old, old[:-1]).endswith(" -> nothing")


@pytest.mark.parametrize("joint", [" AND ", " || ", " + ", " - "])
def test_a_chain_of_thousands_is_one_call(joint: str) -> None:
    found = tree(joint.join(["a"] * 1000))
    assert sum(1 for _ in find_nodes(found)) == 1001
    assert found == tree(joint.join(["a"] * 1000))


def test_what_is_too_deep_or_too_large_goes_by_its_digest_and_follows_renames() -> None:
    deep = "lower(" * (MOST_DEPTH + 20) + "k" + ")" * (MOST_DEPTH + 20)
    wide = "concat(" + ", ".join(["k", *map(str, range(MOST_NODES + 50))]) + ")"
    for sql in (deep, f"(SELECT max(z) FROM (SELECT {wide} AS z FROM t) s)"):  # noqa: S608
        found = tree(sql)
        assert any(isinstance(node, FoldedTree) for node in find_nodes(found))
        assert found == tree(sql) != tree(sql.replace("k", "a"))
        renamed = change_leaves(
            found, lambda leaf: leaf if isinstance(leaf, StarLeaf) else ColumnLeaf(leaf.relation, "a")
        )
        assert renamed == tree(sql.replace("k", "a"))


def test_trees_come_through_a_bundle_as_they_were() -> None:
    statement = read(
        "SELECT CASE WHEN a > 1 THEN cast(b AS text) ELSE k || 'x' END AS x, (SELECT max(a) FROM t) AS y, * FROM t WHERE a IN (1)"
    )
    (back,) = unpack(Statement, pack(Statement, [statement]))
    assert back == statement
    assert [show(output.expression) for output in back.outputs] == [
        show(output.expression) for output in statement.outputs
    ]
