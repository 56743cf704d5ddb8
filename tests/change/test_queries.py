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
