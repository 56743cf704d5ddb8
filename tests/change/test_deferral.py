"""Folders have no common numbers: what needs a table comes behind what makes it; down scripts are told by their pair."""

from __future__ import annotations

import pytest

from app.change.files import is_down_of_pair
from tests.change.trees import review

TABLE = {"migrations/0001_orders.sql": "CREATE TABLE public.orders (id int, discount int);"}
DROP = "ALTER TABLE public.orders DROP COLUMN discount;"


@pytest.mark.parametrize(
    "path", ["hotfix/0005_drop.sql", ".migrations/0002_x.sql", "db/a/migrations/0007_drop.sql", "migrations/add.sql"]
)
def test_a_drop_cannot_come_before_its_table(path: str) -> None:
    report = review(TABLE, {**TABLE, path: DROP})

    assert [(r.relation, r.column) for r in report.removals] == [("public.orders", "discount")]


def test_within_one_sequence_the_numbers_decide() -> None:
    files = {"migrations/0001_a.sql": "DROP TABLE public.t;", "migrations/0002_b.sql": "CREATE TABLE public.t (a int);"}

    assert review(files, files).removals == ()


@pytest.mark.parametrize(
    ("path", "paths", "down"),
    [
        ("m/0002_a_down.sql", {"m/0002_a_up.sql"}, True),
        ("m/0002_scale_down.sql", {"m/0001_a.sql"}, False),
        ("m/0002_revert.sql", {"m/0001_a.sql"}, False),
    ],
)
def test_a_down_script_has_an_up_script(path: str, paths: set[str], down: bool) -> None:  # noqa: FBT001 - an expectation
    assert is_down_of_pair(path, paths) is down
