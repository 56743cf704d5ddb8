"""Definitions that take up a column which their source is known not to have."""

from __future__ import annotations

import pytest

from app.change import RemovalReport
from tests.change.trees import review

_TABLE = {"migrations/0001_t.sql": "CREATE TABLE public.t (a int, b int);"}
_BASE = "CREATE VIEW public.v AS\nSELECT a, b AS d FROM public.t;"


def _review(head: str, *, dialect: str = "postgres", known: str = "", **tables: str) -> RemovalReport:
    catalog = {"public.t": {"a": "int", "b": "int", **dict.fromkeys(known.split(), "int")}}
    files = _TABLE | {f"migrations/{name}.sql": text for name, text in tables.items()}
    return review(_TABLE | {"v.sql": _BASE}, files | {"v.sql": head}, dialect=dialect, catalog=catalog)


def _invalid(report: RemovalReport) -> list[tuple[str, str, int]]:
    found = [removal for removal in report.removals if removal.kind == "view_invalidated"]
    return [(one.relation, one.detail, one.evidence.line) for one in found]


def test_a_name_that_no_file_and_no_catalog_knows() -> None:
    report = _review("CREATE VIEW public.v AS\nSELECT a, c AS d FROM public.t;")

    assert _invalid(report) == [("public.v", "it reads c of public.t, which has no such column", 2)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a, c AS d FROM x",
        "SELECT x.a, x.c AS d FROM x",
        "SELECT a, 1 AS d FROM x WHERE c > 1",
        "SELECT a, c FROM (SELECT a FROM x) q",
    ],
)
def test_a_name_that_no_query_of_the_text_gives(query: str) -> None:
    report = _review(f"CREATE VIEW public.v AS\nWITH x AS (SELECT a, b FROM public.t)\n{query};")  # noqa: S608 - parsed alone

    assert _invalid(report) == [("public.v", "it reads c of its own queries, which have no such column", 3)]


@pytest.mark.parametrize(
    "head",
    [
        "CREATE VIEW public.v AS SELECT A, b + 1 AS d FROM public.t;",
        "CREATE VIEW public.v AS WITH x AS (SELECT a, b AS c FROM public.t) SELECT a, c AS d FROM x WHERE x IS NOT NULL;",
        "CREATE VIEW public.v AS WITH x AS (SELECT a FROM public.t) SELECT a, level AS d FROM x;",
        "CREATE VIEW public.v AS WITH x AS (SELECT a FROM public.t) SELECT a AS c, 2 AS d FROM x ORDER BY c;",
        "CREATE VIEW public.v AS WITH x AS (SELECT * FROM public.unknown) SELECT a, c AS d FROM x;",
        "CREATE VIEW public.v AS WITH x AS (SELECT a FROM public.t) SELECT a, c AS d FROM x, generate_series(1, 2) g(c);",
        "CREATE VIEW public.v AS SELECT a, (SELECT max(b) FROM (SELECT 1) x) AS d FROM public.t;",
        "CREATE VIEW public.v AS SELECT a, x.c AS d FROM (SELECT a, b AS c FROM public.t) x;",
        "CREATE VIEW public.v AS SELECT a, n AS d FROM public.t, generate_series(1, 2) g(n);",
        "CREATE VIEW public.v AS SELECT a, ctid AS d FROM public.t;",
        "CREATE VIEW public.v AS SELECT a, c AS d FROM public.unknown;",
        "CREATE VIEW public.v AS SELECT a, numbers.nextval AS d FROM public.t;",
    ],
)
def test_what_is_there_or_not_known_is_not_missing(head: str) -> None:
    assert _invalid(_review(head)) == []


def test_the_catalog_may_know_of_a_column_that_no_file_makes() -> None:
    assert _invalid(_review("CREATE VIEW public.v AS SELECT a, c AS d FROM public.t;", known="c")) == []


def test_a_column_that_the_same_change_adds_is_there() -> None:
    added = {"0002_c": "ALTER TABLE public.t ADD COLUMN c int;"}

    assert _invalid(_review("CREATE VIEW public.v AS SELECT a, c AS d FROM public.t;", **added)) == []


def test_what_was_missing_before_is_no_news() -> None:
    broken = _TABLE | {"v.sql": "CREATE VIEW public.v AS SELECT a, c AS d FROM public.t;"}
    head = broken | {"v.sql": "CREATE VIEW public.v AS SELECT b AS a, c AS d FROM public.t;"}

    assert _invalid(review(broken, head)) == []


def test_measures_of_match_recognize_are_no_columns_of_the_table() -> None:
    head = (
        "CREATE VIEW public.v AS SELECT a, m AS d FROM public.t MATCH_RECOGNIZE "
        "(PARTITION BY a ORDER BY b MEASURES MAX(b) AS m PATTERN (x+) DEFINE x AS x.b > 1);"
    )

    assert _invalid(_review(head, dialect="snowflake")) == []
