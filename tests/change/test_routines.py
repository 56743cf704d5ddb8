"""Functions, procedures, triggers: what their users lose when the text of one changes."""

from __future__ import annotations

import pytest

from tests.change.trees import briefs, review

TABLE = {"migrations/0001_t.sql": "CREATE TABLE public.t (a int, b int);"}
ADDS = "CREATE OR REPLACE FUNCTION public.adds(x int) RETURNS int AS $$ SELECT x + 1 $$ LANGUAGE sql;"
USER = {"views/v.sql": "CREATE VIEW public.v AS SELECT adds(a) AS c, b FROM public.t;"}
BASE = {**TABLE, **USER, "functions/adds.sql": ADDS}


def test_another_body_is_another_meaning_of_what_it_computes() -> None:
    report = review(BASE, {**BASE, "functions/adds.sql": ADDS.replace("x + 1", "x + 2")})
    assert briefs(report) == ["meaning_changed public.v.c warn/values"]
    (removal,) = report.removals
    assert (removal.evidence.path, removal.evidence.line) == ("functions/adds.sql", 1)
    assert report.unknowns == ()


def test_a_function_in_a_filter_or_as_a_table_touches_every_column() -> None:
    where = {"views/v.sql": "CREATE VIEW public.v AS SELECT a, b FROM public.t WHERE adds(a) > 1;"}
    table = {"views/v.sql": "CREATE VIEW public.v AS SELECT * FROM adds(1) AS f(x);"}
    for user in (where, table):
        report = review({**BASE, **user}, {**BASE, **user, "functions/adds.sql": ADDS.replace("x + 1", "x + 2")})
        assert briefs(report) == ["meaning_changed public.v warn/values"]


def test_a_dropped_function_takes_the_results_of_its_users_along() -> None:
    report = review(BASE, {**BASE, "migrations/0002_x.sql": "DROP FUNCTION public.adds(int);"})
    assert briefs(report) == []  # the file still makes it
    report = review(BASE, {path: text for path, text in BASE.items() if not path.startswith("functions/")})
    assert briefs(report) == ["view_invalidated public.v block/stops"]
    made = {**TABLE, **USER, "migrations/0002_f.sql": ADDS}
    report = review(made, {**made, "migrations/0003_x.sql": "DROP FUNCTION adds(int);"})
    assert briefs(report) == ["view_invalidated public.v block/stops"]
    assert report.removals[0].evidence.path == "migrations/0003_x.sql"


def test_a_migration_that_called_the_function_once_loses_nothing() -> None:
    once = {**TABLE, "migrations/0002_f.sql": ADDS, "migrations/0003_x.sql": "UPDATE public.t SET b = adds(a);"}
    assert briefs(review(once, {**once, "migrations/0004_x.sql": "DROP FUNCTION adds(int);"})) == []


@pytest.mark.parametrize(
    "text",
    [
        ADDS.replace("SELECT x", "-- one more\nSELECT x"),
        ADDS.replace(" RETURNS", "\n  RETURNS"),
        f"{ADDS}\nCREATE FUNCTION public.other(x int) RETURNS int AS $$ SELECT 7 $$ LANGUAGE sql;",
    ],
)
def test_the_same_body_takes_nothing_away(text: str) -> None:
    report = review(BASE, {**BASE, "functions/adds.sql": text})
    assert (report.removals, report.unknowns) == ((), ())


def test_a_function_that_nobody_uses_takes_nothing_away() -> None:
    base = {**TABLE, "functions/adds.sql": ADDS}
    report = review(base, {**base, "functions/adds.sql": ADDS.replace("x + 1", "x + 2")})
    assert (report.removals, report.unknowns) == ((), ())


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("snowflake", "CREATE OR REPLACE PROCEDURE fill() RETURNS int AS $$ INSERT INTO t SELECT 1, {}; $$"),
        ("snowflake", "CREATE OR REPLACE TASK fill WAREHOUSE = w AS INSERT INTO t SELECT 1, {}"),
        ("tsql", "CREATE OR ALTER PROCEDURE fill AS\nUPDATE t SET b = {};"),
        (
            "postgres",
            "CREATE OR REPLACE PROCEDURE fill() AS $$ BEGIN\n  DELETE FROM t WHERE a = {};\nEND $$ LANGUAGE plpgsql;",
        ),
        ("snowflake", "CREATE OR REPLACE MASKING POLICY fill AS (v text) RETURNS text -> {}"),
    ],
)
def test_a_changed_body_that_writes_is_unknown(dialect: str, text: str) -> None:
    report = review({"jobs/fill.sql": text.format(2)}, {"jobs/fill.sql": text.format(3)}, dialect=dialect)
    assert ("jobs/fill.sql", 1) in [(unknown.path, unknown.line) for unknown in report.unknowns]
    assert review({"jobs/fill.sql": text.format(2)}, {"jobs/fill.sql": text.format(2)}, dialect=dialect).unknowns == ()


FIRES = "CREATE TRIGGER w BEFORE UPDATE ON public.t FOR EACH ROW EXECUTE FUNCTION fixes();"
FIXES = (
    "CREATE OR REPLACE FUNCTION fixes() RETURNS trigger AS $$ BEGIN NEW.a := 1; RETURN NEW; END $$ LANGUAGE plpgsql;"
)


def test_triggers_change_what_is_written() -> None:
    changed = ["meaning_changed public.t warn/values"]
    base = {**TABLE, "migrations/0002_f.sql": FIXES}
    fires = {**base, "migrations/0003_w.sql": FIRES}
    assert briefs(review(base, fires)) == changed
    assert briefs(review(fires, base)) == changed
    assert briefs(review(fires, {**fires, "migrations/0004_f.sql": FIXES.replace(":= 1", ":= 2")})) == changed
    assert briefs(review(fires, {**fires, "migrations/0004_w.sql": "DROP TRIGGER w ON t;"})) == changed
    assert briefs(review(fires, dict(fires))) == []
