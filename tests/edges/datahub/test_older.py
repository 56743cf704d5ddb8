"""Servers before 1.6: no relationship scroll, no entity scroll. The same answers by other routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import older
from app.trail import Edge, GraphSlice
from app.words import Transient
from tests.edges.datahub.conftest import MakeCatalog
from tests.edges.datahub.world import (
    ARN,
    DEPLOYMENT,
    FEATURE,
    FEATURES,
    GROUP,
    MODEL,
    ORDERS,
    STAGING,
    reads,
    reads_of,
    run,
)
from tests.fakes.serving import Answer, Faulty, json_answer

MISSING = json_answer({"message": "No endpoint"}, 404)
ALL = (ORDERS, STAGING, FEATURES, FEATURE, MODEL, GROUP, DEPLOYMENT, ARN)


def old_server(store: CatalogStore, fault: Callable[[str], Answer | None] = lambda _: None) -> Faulty:
    return Faulty(create_app(store), lambda _, path, __: MISSING if path.endswith("/scroll") else fault(path))


def neighbours(app: Any, *urns: str) -> GraphSlice:
    return run(reads(app).fetch_neighbours(frozenset(urns)))


@pytest.mark.parametrize("urn", ALL)
def test_both_ways_find_the_same(urn: str, catalog: MakeCatalog) -> None:
    store = catalog()
    new = run(reads_of(store).fetch_neighbours(frozenset({urn})))
    old = neighbours(old_server(store), urn)

    assert (old.edges, old.aspects, old.reasons) == (new.edges, new.aspects, ())
    assert new.reasons == ()


def test_both_ways_find_the_same_for_a_whole_frontier(catalog: MakeCatalog) -> None:
    store = catalog()
    new = run(reads_of(store).fetch_neighbours(frozenset(ALL)))
    old = neighbours(old_server(store), *ALL)

    assert set(old.edges) == set(new.edges)
    assert old.aspects == new.aspects


def test_what_the_server_can_is_found_out_once(catalog: MakeCatalog) -> None:
    app = old_server(catalog())
    client = reads(app)

    run(client.fetch_neighbours(frozenset({ORDERS})))
    run(client.fetch_neighbours(frozenset({STAGING})))

    assert [path for _, path in app.requests].count("/openapi/v3/relationship/scroll") == 1
    assert run(client.fetch_server()).relationship_scroll is False


def test_features_of_a_dataset_that_was_never_ingested_are_found(catalog: MakeCatalog) -> None:
    dangling = "urn:li:dataset:(urn:li:dataPlatform:snowflake,orders,PROD)"
    store = catalog([Proposal(FEATURE, "mlFeatureProperties", value={"sources": [dangling], "customProperties": {}})])

    part = neighbours(old_server(store), dangling)

    assert Edge(FEATURE, "DerivedFrom", dangling) in part.edges
    assert part.aspects[dangling] == {}


def test_pages_are_followed_to_the_end(catalog: MakeCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(older, "ROWS", 7)
    features = [f"urn:li:mlFeature:(t,f{number})" for number in range(40)]
    store = catalog(
        [Proposal(urn, "mlFeatureProperties", value={"sources": [ORDERS], "customProperties": {}}) for urn in features]
    )

    part = neighbours(old_server(store), ORDERS)

    assert {edge.source for edge in part.edges} == set(features)
    assert part.reasons == ()


def test_more_rows_than_the_server_can_page_are_a_reason(catalog: MakeCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(older, "ROWS", 5)
    monkeypatch.setattr(older, "LAST_OFFSET", 20)
    features = [f"urn:li:mlFeature:(t,f{number})" for number in range(40)]
    store = catalog(
        [Proposal(urn, "mlFeatureProperties", value={"sources": [ORDERS], "customProperties": {}}) for urn in features]
    )

    part = neighbours(old_server(store), ORDERS)

    assert "cannot list them all" in part.reasons[0]


@pytest.mark.parametrize(
    "answer",
    [
        json_answer({"errors": [{"message": "too complex"}], "data": {"entities": []}}),
        json_answer({"data": {"entities": []}}),
        json_answer({"data": {"entities": [{"urn": ORDERS}]}}),
        json_answer({"data": {"entities": [{"urn": ORDERS, "incoming": {"total": 1}, "outgoing": None}]}}),
        json_answer({"data": None}),
        json_answer([]),
        Answer(200, b'{"data": {"entit'),
        MISSING,
    ],
    ids=["errors", "no row", "no direction", "no rows", "no data", "list", "half", "404"],
)
def test_relationships_that_cannot_be_read_are_a_reason(answer: Answer, catalog: MakeCatalog) -> None:
    part = neighbours(old_server(catalog(), lambda path: answer if path == "/api/graphql" else None), ORDERS)

    assert any("could not be read" in reason for reason in part.reasons)


@pytest.mark.parametrize(
    "answer",
    [json_answer({}), json_answer({"entities": [{}], "total": 1}), Answer(500, b"{}"), MISSING],
    ids=["no entities", "odd row", "500", "404"],
)
def test_single_relationships_that_cannot_be_read_are_a_reason(answer: Answer, catalog: MakeCatalog) -> None:
    part = neighbours(old_server(catalog(), lambda path: answer if "relationships/v1" in path else None), DEPLOYMENT)

    assert any(DEPLOYMENT in reason for reason in part.reasons)


def test_a_listing_comes_from_the_search(catalog: MakeCatalog) -> None:
    assert run(reads(old_server(catalog())).fetch_urns("dataset")) == (FEATURES, ORDERS, STAGING)


def test_deployments_cannot_be_listed_there(catalog: MakeCatalog) -> None:
    with pytest.raises(Transient, match=r"mlModelDeployment entities of .* could not be listed"):
        run(reads(old_server(catalog())).fetch_urns("mlModelDeployment"))
