"""What a client does with a file before the server sees it: nothing behind a client's command is lost, lines stay in place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reads import plain_text, read_statements


def kinds(sql: str, dialect: str) -> list[tuple[str, int]]:
    return [(statement.kind, statement.line) for statement in read_statements(sql, dialect=dialect)]


@pytest.mark.parametrize(
    "command",
    [
        "REM don't",
        "PROMPT working ...",
        "SET SERVEROUTPUT ON",
        "WHENEVER SQLERROR EXIT FAILURE",
        "SPOOL out.txt",
        "COLUMN x FORMAT A1",
    ],
)
def test_a_line_command_ends_at_its_line(command: str) -> None:
    assert kinds(f"{command}\nALTER TABLE orders DROP COLUMN discount_pct;\n", "oracle") == [("ddl", 2)]


def test_the_set_of_an_update_is_no_line_command() -> None:
    sql = "UPDATE t\nSET a = 1\nWHERE b = 2;\n"

    assert plain_text(sql, "oracle") == sql


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        ("oracle", "@other.sql"),
        ("oracle", "START other.sql"),
        ("postgres", "\\i other.sql"),
        ("postgres", "\\ir o.sql"),
    ],
)
def test_a_command_that_runs_another_file_is_opaque(dialect: str, line: str) -> None:
    found = kinds(f"{line}\nALTER TABLE orders DROP COLUMN discount_pct;\n", dialect)

    assert found == [("opaque", 1), ("ddl", 2)]


@pytest.mark.parametrize(
    "comment",
    ["/*!50000 DROP COLUMN discount_pct */", "/*!DROP COLUMN discount_pct*/", "/*M!100100 DROP COLUMN discount_pct */"],
)
def test_mysql_runs_some_comments(comment: str) -> None:
    assert "DROP COLUMN discount_pct" in plain_text(f"ALTER TABLE orders {comment};", "mysql")
    assert plain_text(f"ALTER TABLE orders {comment};", "postgres") == f"ALTER TABLE orders {comment};"


@pytest.mark.parametrize("first", ["USE shop", "SET XACT_ABORT ON", "PRINT 'x'", "WAITFOR DELAY '00:00:01'"])
def test_two_statements_on_one_line_are_not_one_harmless_one(first: str) -> None:
    statements = read_statements(f"{first} ALTER TABLE orders DROP COLUMN discount_pct", dialect="tsql")

    assert [statement.kind for statement in statements] == ["inert", "ddl"]


@given(st.text(max_size=300), st.sampled_from(["oracle", "mysql", "postgres", "tsql", "snowflake"]))
def test_every_character_stays_in_its_place(sql: str, dialect: str) -> None:
    plain = plain_text(sql, dialect)

    assert len(plain) == len(sql)
    assert [i for i, c in enumerate(plain) if c == "\n"] == [i for i, c in enumerate(sql) if c == "\n"]
