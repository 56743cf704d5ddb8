"""Values come back from their bytes as they were; bytes of anybody else are refused, and run nothing."""

from __future__ import annotations

import json
import pickle
import zlib
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.change.steps import AddColumn, Column, DropColumn
from app.reads import read_statements
from app.reads.statement import Statement
from app.render import SqlText
from app.source.bundle import pack, unpack
from app.words import Evidence, Unknown


@dataclass(frozen=True, slots=True)
class Held:
    steps: tuple[AddColumn | DropColumn, ...] = ()
    one: Unknown | None = None
    pairs: tuple[tuple[str, int], ...] = ()
    words: tuple[str, ...] = ()


SQL = "create view v as select o.a, sum(b) over (partition by c) as s, * from orders o join t on t.k = o.k where d > 1"


def test_statements() -> None:
    statements = read_statements(SQL, dialect="snowflake", schema={"orders": {"a": "int"}})

    assert unpack(Statement, pack(Statement, statements)) == statements


@pytest.mark.parametrize(
    "value",
    [
        Held(),
        Held((DropColumn("t", "c", 1), AddColumn("t", Column("c", "INT", not_null=True), 2, after="b")), None),
        Held(one=Unknown("what", "why", None, 3), pairs=(("a", 1), ("b", 2)), words=("x", "")),
    ],
)
def test_unions_options_and_pairs(value: Held) -> None:
    assert unpack(Held, pack(Held, [value, value])) == (value, value)


@given(st.builds(SqlText, st.text(), st.text(), st.lists(st.integers(1, 99)).map(tuple), why=st.none() | st.text()))
def test_any_text_at_all(text: SqlText) -> None:
    assert unpack(SqlText, pack(SqlText, [text])) == (text,)


def test_half_a_character_of_utf_16_is_kept() -> None:
    text = Evidence("a\ud800.sql", 1)

    assert unpack(Evidence, pack(Evidence, [text])) == (text,)


def test_what_a_type_does_not_declare_is_not_packed() -> None:
    with pytest.raises(TypeError, match="Column is none of what"):
        pack(Held, [Held((Column("c"),))])  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        pickle.dumps([1]),
        zlib.compress(b"nonsense"),
        zlib.compress(b"{}")[:-1],
        zlib.compress(json.dumps([["a"], 3]).encode()),
        zlib.compress(json.dumps([["a", 1, "", "head", "", "", "one too many"]]).encode()),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"\xff\xfe"),
    ],
)
def test_bytes_of_anybody_else_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a bundle of Evidence|cut off|codec|JSON|Expecting|decode"):
        unpack(Evidence, data)
