"""What one loss does to one statement, beyond what the walk's tests show: whole rows."""

from __future__ import annotations

import pytest

from app.reads import Statement, read_statements
from app.trail.hop import Loss
from app.trail.touch import find_touch

NAMES = frozenset({"t"})
DROPPED = Loss("t", "a", "stops", narrows=True, physical=True)


def read(sql: str, dialect: str = "snowflake") -> Statement:
    return read_statements(sql, dialect=dialect, schema={"t": {"id": "int", "a": "int", "b": "int"}})[0]


@pytest.mark.parametrize("loss", [DROPPED, Loss("t", "a", "stops"), Loss("t", "a", "values")])
def test_an_output_made_of_whole_rows_changes_with_any_column(loss: Loss) -> None:
    touch = find_touch(read("create view v as select id, hash(*) as h from t"), NAMES, loss)

    assert touch is not None
    assert (touch.effect, touch.columns, touch.certain) == ("values", ("h",), True)


def test_a_filter_over_whole_rows_changes_every_output() -> None:
    touch = find_touch(read("create view v as select id from t where hash(t.*) > 0"), NAMES, DROPPED)

    assert touch is not None
    assert (touch.effect, touch.columns) == ("values", None)


def test_a_star_beside_a_hash_loses_the_column_and_changes_the_hash() -> None:
    touch = find_touch(read("create view v as select *, hash(*) as h from t"), NAMES, DROPPED)

    assert touch is not None
    assert (touch.effect, touch.columns) == ("stops", ("a", "h"))


def test_a_column_that_is_left_out_by_name_changes_nothing() -> None:
    statement = read("create view v as select hash(* exclude (a)) as h from t")

    assert find_touch(statement, NAMES, Loss("t", "a", "values")) is None
    assert find_touch(statement, NAMES, Loss("t", "b", "values")) is not None


def test_a_new_order_changes_whole_rows() -> None:
    touch = find_touch(read("create view v as select hash(*) as h from t"), NAMES, Loss("t", None, by_position=True))

    assert touch is not None
    assert touch.columns == ("h",)


def test_counting_rows_is_untouched() -> None:
    assert find_touch(read("create view v as select count(*) as n from t"), NAMES, DROPPED) is None
