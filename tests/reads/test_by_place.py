"""Which relations a text that nobody understood takes or fills as they come, told from its words."""

from __future__ import annotations

import pytest

from app.reads import find_by_place, has_hole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("INSERT INTO t (a, b) VALUES (1, 2)", set()),
        ("INSERT INTO s.t VALUES (1)", {"t"}),
        ('INSERT INTO "S"."T" SELECT 1', {"t"}),
        ("insert into `p.d.t` (a) select 1", set()),
        ("INSERT INTO t (SELECT 1)", {"t"}),
        ("INSERT INTO t AS x (a) VALUES (1)", set()),
        ("INSERT INTO t WITH q AS (SELECT 1) SELECT * FROM q", {"t"}),
        ("INSERT OR REPLACE INTO t VALUES (1)", {"t"}),
        ("INSERT OVERWRITE TABLE t SELECT 1", {"t"}),
        ("INSERT t VALUES (1)", {"t"}),
        ("WHEN NOT MATCHED THEN INSERT (a) VALUES (1)", set()),
        ("WHEN NOT MATCHED THEN INSERT VALUES (1)", {""}),
        ("WHEN NOT MATCHED THEN INSERT *", {""}),
        ("WHEN NOT MATCHED THEN INSERT ROW", {""}),
        ("EXECUTE 'INSERT INTO ' || x", {""}),
        ("INSERT INTO {{ t }} (a) SELECT 1", {""}),
        ("CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW", set()),
        ("CREATE TRIGGER x AFTER INSERT OR UPDATE ON t", set()),
        ("CREATE TRIGGER x ON t FOR INSERT, UPDATE AS", set()),
        ("IF TG_OP = 'INSERT' THEN", set()),
        ("COPY t FROM stdin", {"t"}),
        ("COPY INTO t (a) FROM @stage", set()),
        ("LOAD DATA INFILE 'x' INTO TABLE t", {""}),
        ("DECLARE r s.t%ROWTYPE;", {"t"}),
        ("CREATE FUNCTION f() RETURNS SETOF s.t", {"t"}),
        ("SELECT 1 -- INSERT INTO t VALUES (1)", set()),
    ],
)
def test_what_is_taken_or_filled_by_place(text: str, found: set[str]) -> None:
    assert find_by_place(text, language="sql") == found


def test_code_fills_by_place_as_well() -> None:
    text = 'rows.insert(0, row)  # INSERT INTO t VALUES\ndf.write.insertInto("orders")\nrun(f"INSERT INTO {table} VALUES (%s)")\n'
    assert find_by_place(text, language="python") == {""}
    assert find_by_place("rows.insert(0, copy.copy(row))", language="python") == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM {{ table }}",
        "SELECT a FROM shop.{{ params.table }} o",
        "SELECT a FROM orders_${env}",
        "SELECT a FROM raw.:table",
        "SELECT a FROM %(table)s",
        "UPDATE %I SET a = 1",
        "SELECT a FROM {table} JOIN b",
        "EXECUTE 'SELECT a FROM ' || name",
    ],
)
def test_a_hole_for_the_name_of_a_table(text: str) -> None:
    assert has_hole(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM {{ ref('orders') }}",
        "SELECT a FROM {{ source('raw', 'orders') }}",
        "SELECT a FROM {{ schema }}.orders",
        'SELECT a FROM "${schema}"."orders"',
        "SELECT a FROM ${schema}.orders WHERE b = :b",
        "SELECT a FROM orders -- FROM {{ table }}",
        "SELECT {{ column }} FROM orders",
    ],
)
def test_no_hole_for_the_name_of_a_table(text: str) -> None:
    assert not has_hole(text)
