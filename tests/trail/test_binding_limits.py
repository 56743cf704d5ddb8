"""A column's name that thousands of features share: none of them is asked after, which is a question and no green."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from app.trail.binding import MOST_CALLED, Bindings


def bindings(count: int) -> Bindings:
    nobody: Any = SimpleNamespace()
    taken: Any = SimpleNamespace(by_name={"amount": tuple(f"f{n}" for n in range(count))})
    return Bindings(nobody, nobody, nobody, nobody, (), taken, cast("Any", tuple), {}, frozenset())


def test_a_name_of_many_features_is_a_question() -> None:
    assert len(bindings(MOST_CALLED).called('"AMOUNT"')) == MOST_CALLED
    assert bindings(MOST_CALLED).find_common(["amount"]) == ()
    assert bindings(MOST_CALLED + 1).called("amount") == ()
    assert bindings(MOST_CALLED + 1).find_common(["amount", "other"]) == (
        "1,001 features that models take are called amount; whether each is bound to a table was not looked at",
    )
