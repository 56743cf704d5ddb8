"""Queries that build no relation: what a changed one gives no longer, and under which name."""

from __future__ import annotations

from app.change import Query
from app.words import Config, FeatureConfig
from tests.change.trees import briefs, review

MAPPED = Config(found=True, features={"customer.score": FeatureConfig(sql="features/cf.sql", column="ds")})
FULL = {"features/cf.sql": "SELECT id, AVG(d) AS ds FROM o GROUP BY 1;"}
PART = {"features/cf.sql": "SELECT id FROM o GROUP BY 1;"}
OTHER = {"features/cf.sql": "SELECT id, MAX(d) AS ds FROM o GROUP BY 1;"}
LOST = "output_removed {}.ds block/stops"


def test_a_mapped_query_that_loses_an_output_takes_it_away_from_the_file() -> None:
    report = review(FULL, PART, config=MAPPED)
    assert briefs(report) == [LOST.format('"features/cf.sql"')]
    assert report.queries == {'"features/cf.sql"': Query("features/cf.sql", "cf", ("id", "ds"))}
    assert report.queries.keys() <= report.created  # no catalog knows it, and none has to


def test_a_mapped_query_that_is_deleted_takes_all_of_it() -> None:
    assert briefs(review(FULL, {}, config=MAPPED)) == ['definition_deleted "features/cf.sql" block/stops']


def test_a_mapped_query_that_computes_otherwise_is_told() -> None:
    assert briefs(review(FULL, OTHER, config=MAPPED)) == ['meaning_changed "features/cf.sql".ds warn/values']


def test_a_file_that_nobody_maps_is_asked_only_for_what_is_gone() -> None:
    assert briefs(review(FULL, PART)) == [LOST.format('"query cf"')]
    assert briefs(review(FULL, OTHER)) == []


def test_a_file_that_nobody_maps_may_move() -> None:
    assert briefs(review(FULL, {"sql/cf.sql": FULL["features/cf.sql"]})) == []


def test_an_unchanged_query_loses_nothing() -> None:
    assert briefs(review(FULL, {**FULL, "x.sql": "SELECT 1 AS a;"}, config=MAPPED)) == []


VIEW = 'FeatureView(name="v", schema=[Field(name="ds")], source=PostgreSQLSource({}))\n'
A = '"SELECT id, AVG(d) AS ds FROM o GROUP BY id"'
B = '"SELECT id, MAX(d) AS ds FROM o GROUP BY id"'
NO_DS = '"SELECT id FROM o"'


def _feast(base: str, head: str) -> list[str]:
    return briefs(review({"f.py": VIEW.format(base)}, {"f.py": VIEW.format(head) + "# changed\n"}))


def test_a_feast_query_that_is_chosen_is_known_where_all_give_the_same() -> None:
    same = f"query={A} if x else {A}"
    assert _feast(same, same) == []
    assert _feast(f"query={A} if x else {NO_DS}", f"query={A} if x else {NO_DS}") == []
    assert [brief.split()[0] for brief in _feast(same, f"query={A} if x else {B}")] == ["meaning_changed"]


def test_a_feast_query_that_is_no_constant_any_more_may_give_anything() -> None:
    heads = (f"query={A} if x else {NO_DS}", f"query=make() or {A}", f"query=p + {A}", "query=make()", 'table="o"')
    assert [_feast(f"query={A}", head) == _feast(f"query={A}", "query=other()") != [] for head in heads] == [True] * 5


def test_a_feast_view_over_a_table_loses_its_fields_and_not_its_silence() -> None:
    table = 'table="o"'
    assert _feast(table, table) == []
    assert _feast(table, table + ', description="d"') == []
    assert [brief.split()[0] for brief in _feast(table, 'table="p"')] == ["meaning_changed"]
    head = VIEW.format(table).replace('"ds"', '"other"')
    assert briefs(review({"f.py": VIEW.format(table)}, {"f.py": head})) == [
        'output_removed "feature view v".ds block/stops'
    ]
    computed = VIEW.format(table).replace('[Field(name="ds")]', "fields()")
    told = briefs(review({"f.py": VIEW.format(table)}, {"f.py": computed}))
    assert [brief.split()[0] for brief in told] == ["definition_deleted"]
    assert briefs(review({"f.py": computed}, {"f.py": computed + "# c"})) == []
