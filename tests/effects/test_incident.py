from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.effects import ReviewFacts, ReviewSubject, end_pull, incident_urn, merge_description, plan_incidents
from app.effects.incident import parse_pulls, render_pulls
from app.verdict import Finding, Verdict
from app.words import Evidence, Repo
from tests.effects import reviews
from tests.laws import examples

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_v4,PROD)"
FEATURE = "urn:li:mlFeature:(customer_features,discount_sensitivity)"
PULL = "https://github.com/acme/warehouse/pull/7"
OTHER = "https://github.com/acme/warehouse/pull/8"


def finding(**changes: Any) -> Finding:
    found = Finding(
        rule="removed_column_is_read",
        level="block",
        message="",
        relation="shop.raw.orders",
        column="discount_pct",
        dataset=ORDERS,
        feature=FEATURE,
        model=MODEL,
        model_name="churn_v4",
        owner="growth-ml",
        last_trained="2026-07-14",
        trail=(ORDERS, FEATURE, MODEL),
        evidence=(
            Evidence("migrations/7.sql", 3, "DROP COLUMN discount_pct"),
            Evidence("features/c.sql", 12, "AVG(discount_pct)", "base", "acme/features", "c0ffee"),
        ),
    )
    return replace(found, **changes)


def facts(*findings: Finding, **changes: Any) -> ReviewFacts:
    verdict = Verdict("block", "block", findings)
    repo = Repo(1, "acme/warehouse")
    return reviews.change(ReviewFacts(ReviewSubject(repo, "abc123", "main", 7), verdict), **changes)


def test_one_incident_for_one_dataset_column_and_model() -> None:
    (incident,) = plan_incidents(facts(finding(), finding(feature="urn:li:mlFeature:(t,other)")))

    assert incident.urn == incident_urn(ORDERS, "discount_pct", MODEL)
    assert incident.title == "Schema change blocks churn_v4 (orders.discount_pct)"
    assert (incident.dataset, incident.column, incident.model) == (ORDERS, "discount_pct", MODEL)
    assert incident.pulls == (PULL,)


def test_the_description_says_who_and_why() -> None:
    (incident,) = plan_incidents(facts(finding()))

    for text in (
        "- [ ] " + PULL,
        "growth-ml",
        "2026-07-14",
        "https://github.com/acme/warehouse/blob/abc123/migrations/7.sql#L3",
        "https://github.com/acme/features/blob/c0ffee/features/c.sql#L12",
        "`shop.raw.orders` → `customer_features.discount_sensitivity` → `churn_v4`",
    ):
        assert text in incident.description
    assert (
        "AVG(discount_pct)" not in incident.description
    )  # who reads the catalog need not be who may read the repository


def test_only_open_blocks_with_a_dataset_and_a_model_raise_one() -> None:
    quiet = (
        finding(level="warn"),
        finding(level="unassessable"),
        finding(disposition="waived"),
        finding(disposition="softened"),
        finding(model=None),
        finding(dataset=None),
    )

    assert plan_incidents(facts(*quiet)) == ()


def test_other_branches_and_things_without_a_pull_request_raise_none() -> None:
    assert plan_incidents(facts(finding(), base_ref="release-1")) == ()
    assert plan_incidents(facts(finding(), pull=None)) == ()


def test_a_whole_relation_is_named_without_a_column() -> None:
    (incident,) = plan_incidents(facts(finding(column=None)))

    assert incident.title == "Schema change blocks churn_v4 (orders)"
    assert incident.urn != incident_urn(ORDERS, "", MODEL)


def test_hostile_names_and_lines_stay_text() -> None:
    evil = "x`\n- [x] https://evil.example/ ![i](http://t) @acme/all <script>"
    (incident,) = plan_incidents(facts(finding(owner=evil, model_name=evil, evidence=(Evidence("a.sql", 1, evil),))))

    assert parse_pulls(incident.description) == ((PULL, None),)
    assert "<script>" not in incident.description
    assert "![i](" not in incident.description
    assert "\n- [x]" not in incident.description
    assert "\n" not in incident.title


#: few letters and short: what is written one after the other then often looks alike
PARTS = st.text("a+-", max_size=2) | st.text(max_size=9)


@given(st.lists(st.tuples(PARTS, st.none() | PARTS, PARTS), max_size=20, unique=True))
@examples(40)
def test_different_things_have_different_incidents(keys: list[tuple[str, str | None, str]]) -> None:
    assert len(keys) == len({incident_urn(*key) for key in keys})


def test_a_second_pull_request_joins_the_list() -> None:
    (first,) = plan_incidents(facts(finding()))
    (second,) = plan_incidents(facts(finding(owner="new-owner"), pull=8))

    merged = merge_description(first.description, second)

    assert parse_pulls(merged) == ((PULL, None), (OTHER, None))
    assert "new-owner" in merged
    assert "growth-ml" not in merged
    assert merge_description(merged, second) == merged


def test_a_pull_request_that_has_another_link_stands_there_once() -> None:
    """The repository was renamed, or GitHub has another address."""
    (first,) = plan_incidents(facts(finding()))
    (other,) = plan_incidents(facts(finding(), pull=8))
    both = merge_description(first.description, other)
    moved = "https://github.com/acme/lake/pull/7"
    (again,) = plan_incidents(facts(finding()))
    again = replace(again, pulls=(moved,), description=again.description.replace(PULL, moved), formerly=PULL)

    assert parse_pulls(merge_description(both, again)) == ((moved, None), (OTHER, None))
    _, still_open = end_pull(merge_description(first.description, again), moved, "closed")
    assert still_open == 0


def test_the_incident_is_over_when_no_pull_request_is_open() -> None:
    (first,) = plan_incidents(facts(finding()))
    (second,) = plan_incidents(facts(finding(), pull=8))
    merged = merge_description(first.description, second)

    one_left, still_open = end_pull(merged, PULL, "fixed in abc")
    assert still_open == 1
    assert parse_pulls(one_left) == ((PULL, "fixed in abc"), (OTHER, None))

    over, still_open = end_pull(one_left, OTHER, "closed unmerged")
    assert still_open == 0
    assert end_pull(over, OTHER, "again") == (over, 0)


def test_a_push_that_breaks_again_opens_it_again() -> None:
    (incident,) = plan_incidents(facts(finding()))
    over, _ = end_pull(incident.description, PULL, "fixed")

    assert parse_pulls(merge_description(over, incident)) == ((PULL, None),)


def test_a_link_that_is_not_listed_ends_nothing() -> None:
    (incident,) = plan_incidents(facts(finding()))

    assert end_pull(incident.description, OTHER, "fixed") == (incident.description, 1)


def test_a_description_that_somebody_rewrote_gets_its_list_back() -> None:
    (incident,) = plan_incidents(facts(finding()))

    assert merge_description("We know about this.", incident) == incident.description


def test_open_pull_requests_outlive_finished_ones() -> None:
    pulls = [(f"https://g/{n}", "done" if n % 2 else None) for n in range(120)]

    kept = parse_pulls(render_pulls(pulls))

    assert [url for url, message in pulls if message is None] == [url for url, message in kept if message is None]
    assert len(kept) < len(pulls)
