"""A star in SQL that does not parse: the misspelt word may be the SELECT itself."""

from __future__ import annotations

import time

import pytest

from app.reads import find_words


@pytest.mark.parametrize(
    ("text", "has_star"),
    [
        ("CREATE TABLE f AS SELEKT * FRM shop.raw.orders ((;", True),
        ("SELEKT * FRM orders", True),
        ("create view v as (selct * from t", True),
        ("select a.* from t a ((", True),
        ("select price * quantity from t ((", False),
        ("select sum(price * 2) from t ((", False),
        ("-- select * from t\nselect a from t ((", False),
    ],
)
def test_stars(text: str, *, has_star: bool) -> None:
    assert find_words(text, language="sql")[1] is has_star


def test_a_long_run_of_blanks_is_read_at_once() -> None:
    started = time.process_time()

    assert find_words(" " * 200_000 + "selec * from t", language="sql") == (frozenset({"selec", "from", "t"}), True)
    assert find_words("(" * 200_000 + " !", language="sql") == (frozenset(), False)
    assert time.process_time() - started < 5
