"""T-SQL without semicolons: where its statements begin, and what must stay in one piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reads import find_starts, read_statements

CUT = [
    ("SET NOCOUNT ON\nINSERT INTO f (a)\nSELECT a FROM t\nSELECT b FROM u", ["inert", "insert", "query"]),
    ("PRINT 'it''s'\nUPDATE t\nSET a = 1\nWHERE b = 2\nDELETE FROM x", ["inert", "update", "delete"]),
    ("USE shop ALTER TABLE t DROP COLUMN c", ["inert", "ddl"]),
    ("WITH c AS (\nSELECT a FROM t\n)\nINSERT INTO f\nSELECT a FROM c\nSELECT 2", ["insert", "query"]),
    ("CREATE VIEW v AS\nWITH c AS (SELECT a FROM t)\nSELECT a FROM c", ["create_view"]),
    ("CREATE VIEW v\nAS\nSELECT a FROM t\nUNION ALL\nSELECT a FROM u\nGO\nSELECT 1", ["create_view", "query"]),
    ("DECLARE @x INT = 3\nSELECT a FROM t\nSET @x = 4\nSELECT b FROM u", ["inert", "query", "inert", "query"]),
    ("SELECT a FROM t\nORDER BY a\nOFFSET 0 ROWS\nFETCH NEXT 9 ROWS ONLY\nSELECT b FROM u", ["query", "query"]),
    (
        "MERGE t USING s ON t.a = s.a\nWHEN MATCHED THEN\nDELETE\nWHEN NOT MATCHED THEN\nINSERT (a)\nVALUES (s.a)\nSELECT 1",
        ["merge", "query"],
    ),
    ("BEGIN TRAN\nEXEC sp_rename 'a', 'b'\nCOMMIT TRAN", ["inert", "ddl", "inert"]),
    ("GRANT SELECT, INSERT ON t TO u\nSELECT a FROM t", ["inert", "query"]),
    ("ALTER TABLE t ADD c INT REFERENCES y(z)\nON DELETE CASCADE\nUPDATE [update] SET a = 1", ["ddl", "update"]),
    # what depends on a condition, or stands in a body, is not read; what follows is
    ("IF OBJECT_ID('x') IS NOT NULL\nDROP TABLE x\nSELECT a INTO x FROM t", ["opaque", "create_table_as"]),
    ("IF 1=1\nINSERT INTO t\nSELECT 1\nELSE\nINSERT INTO t\nSELECT 2\nSELECT q FROM z", ["opaque", "query"]),
    ("IF @a = 1\nBEGIN\nSELECT 1\nEND\nELSE\nBEGIN\nSELECT 2\nEND\nSELECT b FROM u", ["opaque", "query"]),
    ("CREATE PROCEDURE p AS\nSELECT a FROM t\nUPDATE t SET a = 1\nGO\nSELECT 1", ["opaque", "query"]),
    # nothing says where the second one begins
    ("SELECT a FROM t SELECT b FROM u", ["opaque"]),
]


@pytest.mark.parametrize(("sql", "kinds"), CUT)
def test_statements_begin_on_new_lines(sql: str, kinds: list[str]) -> None:
    assert [statement.kind for statement in read_statements(sql, dialect="tsql")] == kinds


def test_lines_behind_a_message_are_true() -> None:
    first, second = read_statements("PRINT 'a'\n\nSELECT a\nFROM t", dialect="tsql")

    assert (first.line, second.line, [read.line for read in second.reads]) == (1, 3, [3])


def test_other_dialects_are_not_cut() -> None:
    assert [s.kind for s in read_statements("select a from t\nselect b from u", dialect="postgres")] == ["opaque"]


@given(
    st.lists(
        st.sampled_from(
            ["SELECT", "INSERT", "WITH", "IF", "(", ")", "AS", "BEGIN", "END", "", "SET", "@X", "CREATE", "TABLE"]
        )
    )
)
def test_the_first_word_begins_one_and_places_rise(words: list[str]) -> None:
    starts = find_starts(words, list(range(len(words))))

    assert starts == sorted(set(starts))
    assert starts[:1] == ([0] if words else [])
