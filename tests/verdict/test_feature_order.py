"""A feature that reads the lost column is named before those that only fall with the statement that builds them."""

from __future__ import annotations

from app.change import Removal
from app.trail import Serving, Step, Trail
from app.verdict.findings import group_impacts, list_features
from app.verdict.rule import Impact
from app.words import Evidence

DROP = Evidence("migrations/0002_b.sql", 1, "ALTER TABLE orders DROP COLUMN discount_pct;")
READ = Evidence("features/f.sql", 4, "SUM(discount_pct) AS units")
OTHER = Evidence("features/f.sql", 3, "AVG(quantity) AS basket")


def impact(name: str, line: Evidence) -> Impact:
    removal = Removal("column_dropped", "orders", "discount_pct", DROP)
    feature, model = f"urn:li:mlFeature:(f,{name})", "urn:li:mlModel:(urn:li:dataPlatform:x,m,PROD)"
    steps = (
        Step("orders", "discount_pct", "sql", (DROP,)),
        Step("f", None, "sql", (READ,)),
        Step(feature, None, "relationship", (line,)),
        Step(model, None, "relationship"),
    )
    return Impact(Trail(removal, steps, "stops", feature, model), Serving("serving", "alias champion"))


def test_the_reading_feature_comes_first_and_alone() -> None:
    (group,) = group_impacts([impact("basket", OTHER), impact("units", READ)])

    assert group[0].trail.feature == "urn:li:mlFeature:(f,units)"
    assert list_features(group) == "f.units"


def test_where_none_reads_it_in_its_own_line_all_are_named() -> None:
    (group,) = group_impacts([impact("basket", OTHER), impact("depth", OTHER)])

    assert list_features(group) == "f.basket, f.depth"
