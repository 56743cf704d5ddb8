"""Constant SQL in Python: loaders are compared like definitions, DDL may run. `SQL: ` begins it, see `trees`."""

from __future__ import annotations

import pytest

from app.words import Schema
from tests.change.trees import briefs, review

CATALOG: Schema = {"public.f": {"id": "integer", "score": "numeric"}, "public.o": {"id": "integer", "d": "numeric"}}
FULL = "INSERT INTO public.f (id, score) SELECT id, AVG(d) FROM public.o GROUP BY 1"
PART = "INSERT INTO public.f (id) SELECT id FROM public.o GROUP BY 1"
SCORE = "output_removed public.f.score block/values"


def lost(base: dict[str, str], head: dict[str, str]) -> list[str]:
    return [b for b in briefs(review(base, head, catalog=CATALOG)) if not b.startswith("meaning_changed public.f warn")]


def test_a_loader_that_goes_or_leaves_a_column_out_takes_it_away() -> None:
    assert lost({"jobs/f.py": f"SQL: {FULL}"}, {}) == ["output_removed public.f.id block/values", SCORE]
    assert lost({"jobs/f.py": f"SQL: {FULL}"}, {"jobs/f.py": f"SQL: {PART}"}) == [SCORE]


def test_a_loader_may_move_between_python_and_sql() -> None:
    assert lost({"jobs/f.py": f"SQL: {FULL}"}, {"load/f.sql": FULL}) == []
    assert lost({"load/f.sql": FULL}, {"jobs/f.py": f"SQL: {FULL}"}) == []


def test_null_instead_of_a_value_is_another_meaning() -> None:
    null = FULL.replace("AVG(d)", "NULL")
    found = lost({"jobs/f.py": f"SQL: {FULL}"}, {"jobs/f.py": f"SQL: {null}"})
    assert found == ["meaning_changed public.f.score warn/values"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("ALTER TABLE public.o DROP COLUMN d", ["column_dropped public.o.d block/stops?"]),
        ("ALTER TABLE public.o RENAME COLUMN d TO e", ["column_renamed public.o.d -> e block/stops?"]),
        ("DROP TABLE public.o", ["relation_dropped public.o block/stops?"]),
        ("ALTER TABLE public.unheard_of DROP COLUMN d", []),
        ("CREATE TABLE IF NOT EXISTS public.o (id integer)", []),
        ("DROP TABLE IF EXISTS public.f; CREATE TABLE public.f AS SELECT id, d AS score FROM public.o", []),
    ],
)
def test_ddl_in_changed_code_may_run(sql: str, expected: list[str]) -> None:
    assert lost({"jobs/m.py": "print(1)"}, {"jobs/m.py": f"SQL: {sql}"}) == expected


def test_ddl_that_the_base_has_as_well_is_no_news() -> None:
    drop = "ALTER TABLE public.o DROP COLUMN d"
    assert lost({"jobs/m.py": f"SQL: {drop}"}, {"jobs/m.py": f"# moved\nSQL: {drop}"}) == []


def test_sql_of_tests_is_left_out() -> None:
    assert lost({"tests/test_f.py": f"SQL: {FULL}"}, {"tests/test_m.py": "SQL: DROP TABLE public.o"}) == []
