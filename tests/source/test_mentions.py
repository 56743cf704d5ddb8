"""The part of a schema that a text can name: never less than the engine could look up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reads import read_statements
from app.source.mentions import Mentions
from app.words import Schema

SCHEMA: Schema = {
    "shop.raw.orders": {"order_id": "INT", "discount_pct": "FLOAT"},
    "shop.raw.t": {"a": "INT"},
    'shop.raw."Order-Lines"': {"line": "INT"},
    "v$session": {"sid": "INT"},
    "shop.raw.unused": {"x": "INT"},
}


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("select * from ORDERS", ["shop.raw.orders"]),
        ('select * from "shop"."raw"."orders"', ["shop.raw.orders"]),
        ("do $$select a from t$$", ["shop.raw.t"]),
        ('select * from raw."Order-Lines"', ['shop.raw."Order-Lines"']),
        ("select * from v$session", ["v$session"]),
        ("select * from border", []),
        ("", []),
    ],
)
def test_named_relations(sql: str, named: list[str]) -> None:
    assert list(Mentions.of(SCHEMA).find(sql)) == named


def test_columns_keep_their_order() -> None:
    assert list(Mentions.of(SCHEMA).find("orders")["shop.raw.orders"]) == ["order_id", "discount_pct"]


@given(
    st.lists(
        st.sampled_from(["orders", "raw.orders", "shop.raw.t", 'raw."Order-Lines"', "v$session", "unused u"]),
        max_size=3,
    )
)
def test_what_is_left_out_changes_no_reading(relations: list[str]) -> None:
    sql = "select * " + "".join(f"{' join ' if n else 'from '}{name}" for n, name in enumerate(relations))
    part = Mentions.of(SCHEMA).find(sql)

    assert read_statements(sql, dialect="snowflake", schema=part) == read_statements(
        sql, dialect="snowflake", schema=SCHEMA
    )
