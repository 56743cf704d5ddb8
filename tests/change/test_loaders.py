"""Statements of definitions that fill a table which stays, by DDL or in the catalog: what nobody fills any more is lost."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from app.words import Schema
from tests.change.trees import briefs, review

DDL = {"migrations/0001_f.sql": "CREATE TABLE public.f (id integer, score numeric);\n"}
CATALOG: Schema = {"public.f": {"id": "integer", "score": "numeric"}}
FULL = "INSERT INTO public.f (id, score) SELECT id, AVG(d) FROM public.o GROUP BY 1;"
PART = "INSERT INTO public.f (id) SELECT id FROM public.o GROUP BY 1;"
MERGE = "MERGE INTO public.f t USING public.o s ON t.id = s.id WHEN MATCHED THEN UPDATE SET score = s.d;"
UPDATE = "UPDATE public.f SET score = 1;"
SCORE = "output_removed public.f.score block/values"


@dataclass(frozen=True)
class Case:
    name: str
    base: dict[str, str]
    head: dict[str, str]
    expected: list[str] = field(default_factory=list)


CASES = [
    Case("deleted", {"load/f.sql": FULL}, {}, ["output_removed public.f.id block/values", SCORE]),
    Case("left out", {"load/f.sql": FULL}, {"load/f.sql": PART}, [SCORE]),
    Case("merge deleted", {"load/f.sql": PART, "load/m.sql": MERGE}, {"load/f.sql": PART}, [SCORE]),
    Case("update deleted", {"load/f.sql": f"{PART}\n{UPDATE}"}, {"load/f.sql": PART}, [SCORE]),
    Case("moved to another file", {"load/f.sql": FULL}, {"jobs/fill_f.sql": FULL}),
    Case("a merge instead", {"load/f.sql": PART, "load/m.sql": MERGE}, {"load/f.sql": PART, "load/n.sql": MERGE}),
    Case(
        "another statement still fills it",
        {"load/f.sql": FULL, "load/m.sql": MERGE},
        {"load/f.sql": FULL},
        ["meaning_changed public.f.score warn/values"],
    ),
    Case(
        "a star over what nobody knows may fill it",
        {"load/f.sql": FULL},
        {
            "load/f.sql": "INSERT INTO public.f (id) SELECT id FROM public.o;\nINSERT INTO public.f SELECT * FROM public.p;"
        },
        [f"{SCORE}?"],
    ),
]


@pytest.mark.parametrize("known", ["declared", "in the catalog"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_no_statement_fills_any_more_is_lost(case: Case, known: str) -> None:
    ddl, catalog = (DDL, {}) if known == "declared" else ({}, CATALOG)
    lost = [
        b for b in briefs(review({**ddl, **case.base}, {**ddl, **case.head}, catalog=catalog)) if " public.f w" not in b
    ]
    assert sorted(case.expected) == sorted(lost)


def test_evidence_is_the_line_that_filled_it() -> None:
    report = review({**DDL, "load/f.sql": FULL}, DDL)
    assert {("load/f.sql", 1, "base")} == {(r.evidence.path, r.evidence.line, r.evidence.side) for r in report.removals}


def test_a_column_that_is_dropped_is_not_left_out_as_well() -> None:
    head = {**DDL, "migrations/0002_f.sql": "ALTER TABLE public.f DROP COLUMN score;", "load/f.sql": PART}
    report = review({**DDL, "load/f.sql": FULL}, head)
    assert briefs(report) == ["column_dropped public.f.score block/stops"]
