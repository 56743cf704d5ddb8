"""Facts of reviews to render: one for each verdict, built from a few plain values."""

from __future__ import annotations

from dataclasses import fields, replace

from app.change import Removal
from app.effects import Completeness, Performed, ReviewFacts, ReviewSubject
from app.repair import ProvenEdge, Refusal
from app.verdict import Finding, Verdict
from app.words import Evidence, Repo, Unknown

WAREHOUSE = Repo(7, "acme/warehouse", visibility="private")
FEATURES = Repo(8, "acme/features", visibility="private")
ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
FEATURE = "urn:li:mlFeature:(customer_features,discount_sensitivity)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_propensity_v4,PROD)"
DROP = Evidence("migrations/0007_drop.sql", 3, "ALTER TABLE orders DROP COLUMN discount_pct;", "head")
READ = Evidence(
    "features/customer_features.sql", 12, "avg(discount_pct) AS discount_sensitivity", "base", "acme/features", "f" * 40
)
INCIDENT = "urn:li:incident:6f2c"


def finding(**changes: object) -> Finding:
    made = Finding(
        rule="removed_column_is_read",
        level="block",
        message="The serving model churn_propensity_v4 reads shop.raw.orders.discount_pct through discount_sensitivity.",
        relation="shop.raw.orders",
        column="discount_pct",
        dataset=ORDERS,
        feature=FEATURE,
        model=MODEL,
        model_name="churn_propensity_v4",
        owner="growth-ml",
        last_trained="2026-10-01",
        serving="serving",
        serving_rule="deployment churn-prod is IN_SERVICE",
        trail=(ORDERS, FEATURE, MODEL),
        evidence=(DROP, READ),
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # tests name fields of Finding


def review(verdict: Verdict, **changes: object) -> ReviewFacts:
    facts = ReviewFacts(
        subject=ReviewSubject(WAREHOUSE, "a" * 40, "main", 12, changed_lines=((DROP.path, DROP.line),)),
        verdict=verdict,
        removals=(Removal("column_dropped", "shop.raw.orders", "discount_pct", DROP),),
        completeness=Completeness(3, 4, 3, 11, 2, 1, index="acme/features at ffffffff, 2 minutes old"),
        evidence_repos=(WAREHOUSE, FEATURES),
        sharing={FEATURES.full_name: ("same-visibility",)},
    )
    return change(facts, **changes)


def change(facts: ReviewFacts, **changes: object) -> ReviewFacts:
    """The facts with other fields, some of them the subject's."""
    own = {field.name for field in fields(ReviewSubject)}
    facts = about(facts, **{name: value for name, value in changes.items() if name in own})
    return replace(facts, **{name: value for name, value in changes.items() if name not in own})  # type: ignore[arg-type]


def about(facts: ReviewFacts, **changes: object) -> ReviewFacts:
    """The facts, with another subject."""
    return replace(facts, subject=replace(facts.subject, **changes))  # type: ignore[arg-type]  # tests name its fields


def block() -> ReviewFacts:
    other = finding(
        model="urn:li:mlModel:(urn:li:dataPlatform:mlflow,ltv_v2,PROD)",
        model_name="ltv_v2",
        owner="unknown",
        last_trained="unknown",
        trail=(ORDERS, FEATURE, "urn:li:mlModel:(urn:li:dataPlatform:mlflow,ltv_v2,PROD)"),
        disposition="waived",
    )
    edge = ProvenEdge("source", ORDERS, FEATURE, FEATURE, (READ,), ("discount_pct",))
    return review(
        Verdict("block", "Blocked: churn_propensity_v4 would lose shop.raw.orders.discount_pct", (other, finding())),
        edges=(edge,),
        refusals=(
            Refusal("urn:li:mlFeature:(seasonality_features,index)", "computed in Python, which is not read", READ),
        ),
        performed=(
            Performed(INCIDENT, "incident", "written"),
            Performed("shop.raw.orders -> discount_sensitivity", "edge", "failed", "DataHub answered 503"),
        ),
    )


def unassessable() -> ReviewFacts:
    return review(
        Verdict(
            "unassessable",
            "Unassessable: migrations/0007_drop.sql could not be read",
            (
                finding(
                    rule="catalog_unreachable",
                    level="unassessable",
                    message="the catalog: DataHub did not answer within 20 s",
                    model=None,
                    model_name="",
                    feature=None,
                    trail=(),
                    evidence=(DROP,),
                ),
            ),
            (
                Unknown(
                    "migrations/0007_drop.sql", "EXECUTE IMMEDIATE runs text that is made at run time", DROP.path, 3
                ),
                Unknown("the catalog", "DataHub did not answer within 20 s"),
            ),
        ),
        removals=(),
        completeness=Completeness(
            3, 0, 0, 0, 0, 0, ("urn:li:mlModel:(urn:li:dataPlatform:mlflow,m_1,PROD)",), unseen=("the graph",)
        ),
    )


def warn() -> ReviewFacts:
    meaning = finding(
        rule="meaning_changed",
        level="warn",
        message="shop.raw.orders.discount_pct is now a fraction, not a percentage.",
        new_name="discount_rate",
    )
    return review(Verdict("warn", "Warning: the meaning of shop.raw.orders.discount_pct changes", (meaning,)))


def passed() -> ReviewFacts:
    return review(
        Verdict(
            "pass", "Passed: nothing is taken away from a model", notes=("old_model reads it and is retired (tag)",)
        ),
        removals=(),
        completeness=Completeness(files_read=1, relations_resolved=1),
    )
