"""Inputs that a repository's own file declares: with the line that says so, or not at all."""

from __future__ import annotations

import pytest

from app.repair import find_declared, find_served
from app.review.config import parse_config
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


FEAST = """from feast import FeatureService, FeatureView, Field
customer = FeatureView(
    name="customer",
    schema=[
        Field(name="discount"),
        Field(name="visits"),
    ],
)
service = FeatureService(name="churn_v4", features=[customer])
"""


def served(text: str, *features: str) -> set[tuple[str, str, int]]:
    graph = World.of(model_entity("churn_v4"), *map(feature_entity, features)).graph()
    return {(edge.upstream, edge.downstream, edge.evidence[0].line) for edge in find_served(text, WHERE, graph)}


@pytest.mark.parametrize("table", ["customer", "shop.customer"])
def test_a_feature_service_names_the_inputs_of_the_model_that_is_called_so(table: str) -> None:
    assert served(FEAST, f"{table}.discount", f"{table}.visits") == {
        (feature(f"{table}.discount"), model("churn_v4"), 5),
        (feature(f"{table}.visits"), model("churn_v4"), 6),
    }
    assert served(FEAST, f"{table}.discount") == {(feature(f"{table}.discount"), model("churn_v4"), 5)}


def test_a_part_of_a_view_is_named_where_the_service_chooses_it() -> None:
    text = FEAST.replace("[customer]", '[customer[["visits"]]]')

    assert served(text, "customer.discount", "customer.visits") == {(feature("customer.visits"), model("churn_v4"), 9)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"churn_v4"', '"churn_v9"'),  # no such model
        ("[customer]", "[imported]"),  # nobody here says what is in it
        ("[customer]", "views"),
        ("[customer]", '[customer[["gone"]]]'),
        ("service = ", "service = ("),  # it does not parse
        ('name="customer"', "name=NAME"),
    ],
)
def test_what_a_service_does_not_say_in_constants_is_not_written(old: str, new: str) -> None:
    assert served(FEAST.replace(old, new), "customer.discount", "customer.visits") == set()


def test_two_views_of_one_name_are_told_apart_by_nobody() -> None:
    assert served(FEAST, "a.customer.discount", "b.customer.discount") == set()
