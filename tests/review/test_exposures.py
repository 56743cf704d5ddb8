"""The line that declares a dbt exposure stands in the evidence of its finding."""

from __future__ import annotations

from app.review.exposures import cite_exposures
from app.verdict import Finding, Verdict
from app.words import Repo, Tree

YML = """version: 2
exposures:
  - name: board
    type: dashboard
  - type: ml
    name: "churn"  # of customers
    maturity: high
"""
REPO, OTHER = Repo(1, "acme/warehouse"), Repo(2, "acme/models")


def verdict(model: str) -> Verdict:
    finding = Finding("removed_column_is_read", "block", "", "shop.raw.orders", "discount_pct", model=model)
    return Verdict("block", "", (finding,))


def cited(model: str, files: dict[str, str]) -> list[tuple[str, str, int, str]]:
    found = cite_exposures(verdict(model), [(REPO, Tree({})), (OTHER, Tree(files))]).findings[0].evidence
    return [(line.repo, line.path, line.line, line.text) for line in found]


def test_the_type_of_the_exposure_is_cited() -> None:
    model = "urn:li:dashboard:(dbt,exposure.shop.churn)"
    assert cited(model, {"models/exposures.yml": YML}) == [("acme/models", "models/exposures.yml", 5, "- type: ml")]


def test_the_name_is_cited_where_no_type_stands_beside_it() -> None:
    model = "urn:li:dashboard:(dbt,exposure.shop.board)"
    assert [line[2:] for line in cited(model, {"models/exposures.yml": YML})] == [(3, "- name: board")]


def test_other_models_and_other_files_are_left_alone() -> None:
    assert cited("urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn,PROD)", {"models/exposures.yml": YML}) == []
    assert (
        cited("urn:li:dashboard:(dbt,exposure.shop.churn)", {"models/schema.yml": "models:\n  - name: churn\n"}) == []
    )
