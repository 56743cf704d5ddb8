"""What `CatalogReads` promises: edges around a frontier, aspects, listings; what is absent, hidden or away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.ports import CatalogReads
from app.trail import Edge
from app.words import Permanent, Transient
from tests.contracts.catalog_world import READS, CatalogWorld
from tests.edges.datahub.world import (
    ARN,
    DEPLOYMENT,
    FEATURE,
    FEATURES,
    GROUP,
    MODEL,
    ORDERS,
    STAGING,
    TABLE,
    field,
    fine,
)

NOTHING = "urn:li:mlFeature:(customer_features,nothing)"
OTHER = "urn:li:mlModel:(urn:li:dataPlatform:sagemaker,churn_v5,PROD)"
JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),j)"


def neighbours(world: CatalogWorld, *urns: str, **options: frozenset[str]) -> Any:
    return world.read(lambda reads: reads.fetch_neighbours(frozenset(urns), **options))


def test_a_frontier_brings_edges_and_the_aspects_on_both_ends(catalog_world: CatalogWorld) -> None:
    part = neighbours(catalog_world, ORDERS)

    assert part.edges == (Edge(STAGING, "DownstreamOf", ORDERS),)
    assert part.asked == {ORDERS}
    assert part.aspects.keys() == {ORDERS, STAGING}
    assert part.aspects[ORDERS]["datasetProperties"]["name"] == "orders"
    lineage = part.aspects[STAGING]["upstreamLineage"]["fineGrainedLineages"]
    assert lineage[0]["upstreams"] == [field(ORDERS, "discount_pct")]
    assert (part.reasons, part.unread, part.guessed) == ((), frozenset(), frozenset())


def test_a_hop_of_many_kinds_is_one_slice(catalog_world: CatalogWorld) -> None:
    part = neighbours(catalog_world, FEATURES, FEATURE, GROUP, DEPLOYMENT)

    assert set(part.edges) == {
        Edge(FEATURE, "DerivedFrom", FEATURES),
        Edge(TABLE, "Contains", FEATURE),
        Edge(MODEL, "Consumes", FEATURE),
        Edge(MODEL, "MemberOf", GROUP),
        Edge(MODEL, "DeployedTo", DEPLOYMENT),
        Edge(MODEL, "DeployedTo", ARN),  # drawn by the model, which is a neighbour
    }
    assert part.aspects.keys() == {FEATURES, FEATURE, TABLE, MODEL, GROUP, DEPLOYMENT}


def test_a_column_finds_the_dataset_that_declares_only_columns(catalog_world: CatalogWorld) -> None:
    rows = [fine(field(ORDERS, "qty"), field(STAGING, "units"))]
    catalog_world.put(STAGING, "upstreamLineage", {"upstreams": [], "fineGrainedLineages": rows})

    part = neighbours(catalog_world, field(ORDERS, "qty"))

    assert part.aspects.keys() == {ORDERS, STAGING}
    assert part.aspects[STAGING]["upstreamLineage"]["fineGrainedLineages"][0]["upstreams"] == [field(ORDERS, "qty")]


def test_known_aspects_are_left_out(catalog_world: CatalogWorld) -> None:
    part = neighbours(catalog_world, ORDERS, known=frozenset({ORDERS}))

    assert part.aspects.keys() == {STAGING}


def test_a_guess_is_looked_up_only_if_something_points_at_it(catalog_world: CatalogWorld) -> None:
    part = neighbours(catalog_world, ORDERS, GROUP, NOTHING, guesses=frozenset({ORDERS, NOTHING}))

    assert part.guessed == {NOTHING}
    assert {ORDERS, GROUP} <= part.aspects.keys()
    assert NOTHING not in part.aspects


def test_what_is_not_there_has_no_aspects(catalog_world: CatalogWorld) -> None:
    part = neighbours(catalog_world, NOTHING)

    assert (part.edges, dict(part.aspects), part.reasons) == ((), {NOTHING: {}}, ())


def test_an_empty_frontier_brings_nothing(catalog_world: CatalogWorld) -> None:
    part = neighbours(catalog_world)

    assert (part.edges, dict(part.aspects), part.asked) == ((), {}, frozenset())


def test_what_is_deleted_says_so(catalog_world: CatalogWorld) -> None:
    catalog_world.lose(FEATURE)

    assert neighbours(catalog_world, FEATURES).aspects[FEATURE]["status"]["removed"] is True


def test_aspects_alone_come_with_the_edges_that_they_draw(catalog_world: CatalogWorld) -> None:
    urns = frozenset({MODEL, ARN, field(ORDERS, "qty")})

    part = catalog_world.read(lambda reads: reads.fetch_aspects(urns))

    assert part.asked == frozenset()
    assert set(part.edges) == {
        Edge(MODEL, "DeployedTo", DEPLOYMENT),
        Edge(MODEL, "DeployedTo", ARN),
        Edge(MODEL, "MemberOf", GROUP),
    }
    assert part.aspects.keys() == {MODEL, ARN, ORDERS}
    assert part.aspects[ARN] == {}


def test_jobs_draw_what_they_write(catalog_world: CatalogWorld) -> None:
    stamp = {"time": 1, "actor": "urn:li:corpuser:x"}
    edge = {"destinationUrn": FEATURES, "created": stamp, "lastModified": stamp}
    written = {"inputDatasets": [], "outputDatasets": [], "outputDatasetEdges": [edge]}
    catalog_world.put(JOB, "dataJobInputOutput", written)

    part = catalog_world.read(lambda reads: reads.fetch_aspects(frozenset({JOB})))

    assert part.edges == (Edge(JOB, "Produces", FEATURES),)


def test_the_index_alone_tells_edges_and_no_aspects(catalog_world: CatalogWorld) -> None:
    part = catalog_world.read(lambda reads: reads.fetch_edges(frozenset({FEATURE, FEATURES})))

    assert {Edge(FEATURE, "DerivedFrom", FEATURES), Edge(MODEL, "Consumes", FEATURE)} <= set(part.edges)
    assert (part.asked, dict(part.aspects), part.reasons) == (frozenset(), {}, ())


def test_models_are_listed_by_what_nothing_points_at(catalog_world: CatalogWorld) -> None:
    catalog_world.put(OTHER, "mlModelProperties", {"customProperties": {}, "tags": []})
    catalog_world.put(OTHER, "mlModelTrainingData", {"trainingData": [{"dataset": ORDERS}]})

    listing = catalog_world.read(lambda reads: reads.fetch_models())

    assert listing.trained_on == (Edge(OTHER, "TrainedOn", ORDERS),)
    assert listing.without_inputs.keys() == {OTHER}
    assert listing.reasons == ()


def test_models_that_were_deleted_are_not_listed(catalog_world: CatalogWorld) -> None:
    catalog_world.put(OTHER, "mlModelProperties", {"customProperties": {}, "tags": []})
    catalog_world.lose(OTHER)

    assert catalog_world.read(lambda reads: reads.fetch_models()).without_inputs == {}


def test_urns_of_one_type_are_listed_in_order_without_deleted_ones(catalog_world: CatalogWorld) -> None:
    async def work(reads: CatalogReads) -> list[tuple[str, ...]]:
        return [await reads.fetch_urns(kind) for kind in ("dataset", "mlModelDeployment", "dashboard")]

    assert catalog_world.read(work) == [tuple(sorted((FEATURES, ORDERS, STAGING))), (DEPLOYMENT,), ()]
    catalog_world.lose(STAGING)
    assert catalog_world.read(work)[0] == tuple(sorted((FEATURES, ORDERS)))


def test_a_listing_above_the_cap_is_permanent(catalog_world: CatalogWorld) -> None:
    catalog_world.most_urns = 2

    with pytest.raises(Permanent):
        catalog_world.read(lambda reads: reads.fetch_urns("dataset"))


EVERY: dict[str, Callable[[CatalogReads], Awaitable[object]]] = {
    "fetch_urns": lambda reads: reads.fetch_urns("dataset"),
    "fetch_aspects": lambda reads: reads.fetch_aspects(frozenset({ORDERS})),
    "fetch_edges": lambda reads: reads.fetch_edges(frozenset({ORDERS})),
    "fetch_models": lambda reads: reads.fetch_models(),
    "fetch_neighbours": lambda reads: reads.fetch_neighbours(frozenset({ORDERS})),
}


def test_every_method_of_the_port_is_among_those_asked() -> None:
    assert EVERY.keys() == set(READS) == {name for name in vars(CatalogReads) if not name.startswith("_")}


def test_a_catalog_that_is_away_is_transient(catalog_world: CatalogWorld) -> None:
    catalog_world.go_away()

    for ask in EVERY.values():
        with pytest.raises(Transient):
            catalog_world.read(ask)


def test_a_token_that_is_not_taken_is_permanent(catalog_world: CatalogWorld) -> None:
    catalog_world.refuse()

    for ask in EVERY.values():
        with pytest.raises(Permanent):
            catalog_world.read(ask)
