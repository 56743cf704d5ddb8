"""Inputs that a repository's own file declares: with the line that says so, or not at all."""

from __future__ import annotations

import pytest

from app.job.config import parse_config
from app.repair import find_declared
from app.words import Evidence
from tests.build import World, feature, feature_entity, model, model_entity

WHERE = Evidence(".tether.yml", 1, "", "base", "acme/features", "c0ffee")
HEAD = "version: 1\n# churn_v4 takes customer.discount\nmodels:\n"


def declared(text: str, *features: str) -> list[tuple[str, str, int, str]]:
    entities = [model_entity("churn_v4"), model_entity("churn_v5"), *map(feature_entity, features)]
    graph = World.of(*entities).graph()
    found = find_declared(text, WHERE, parse_config(text), graph)
    return [(edge.upstream, edge.downstream, edge.evidence[0].line, edge.evidence[0].text) for edge in found]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("  churn_v4: {features: [customer.discount]}\n", 4),
        ("  churn_v4:\n    owner: growth\n    features:\n      - customer.discount\n", 7),
        ("  churn_v5: {features: [other.x]}\n  churn_v4: {features: [customer.discount]}  # customer.discount\n", 5),
    ],
)
def test_the_line_that_names_the_feature_proves_it(body: str, line: int) -> None:
    (found,) = declared(HEAD + body, "customer.discount")

    assert found[:3] == (feature("customer.discount"), model("churn_v4"), line)
    assert "customer.discount" in found[3]


@pytest.mark.parametrize(
    "body",
    [
        "  churn_*: {features: [customer.discount]}\n",  # which one?
        "  churn_v4: {features: [customer.discount_pct]}\n",  # not in the catalog
        "  churn_v9: {features: [customer.discount]}\n",  # nor is that model
        "  churn_v4: {serving: true}\n",
    ],
)
def test_what_is_not_said_exactly_is_not_written(body: str) -> None:
    assert declared(HEAD + body, "customer.discount") == []
