"""What the real SDK reads from a catalog is what Tether reads from it, over HTTP, on newer and on older servers.

The catalog is filled by the SDK's own classes, so that no hand-written aspect stands between the two.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from datahub.emitter.mce_builder import make_schema_field_urn
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.serialization_helper import post_json_transform
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import DatahubClientConfig
from datahub.metadata.schema_classes import (
    ASPECT_NAME_MAP,
    AuditStampClass,
    DataProcessInstanceInputClass,
    DataProcessInstancePropertiesClass,
    DataProcessInstanceRunEventClass,
    DataProcessInstanceRunResultClass,
    DeploymentStatusClass,
    FineGrainedLineageClass,
    FineGrainedLineageDownstreamTypeClass,
    FineGrainedLineageUpstreamTypeClass,
    MLFeaturePropertiesClass,
    MLFeatureTablePropertiesClass,
    MLModelDeploymentPropertiesClass,
    MLModelGroupPropertiesClass,
    MLModelPropertiesClass,
    MLPrimaryKeyPropertiesClass,
    NumberTypeClass,
    OtherSchemaClass,
    OwnerClass,
    OwnershipClass,
    OwnershipTypeClass,
    RunResultTypeClass,
    SchemaFieldClass,
    SchemaFieldDataTypeClass,
    SchemaMetadataClass,
    SiblingsClass,
    StatusClass,
    UpstreamClass,
    UpstreamLineageClass,
    _Aspect,
)

from app.catalog import CatalogStore, create_app
from app.edges.datahub import DataHubReads
from app.edges.datahub.aspects import WANTED
from app.edges.datahub.relationships import INCOMING
from app.trail import Edge, GraphSlice, LineageGraph, find_last_trained, find_training_runs
from tests.edges.datahub.world import ARN, DEPLOYMENT, FEATURE, FEATURES, GROUP, MODEL, ORDERS, STAGING, TABLE, run
from tests.fakes.serving import Answer, Faulty, json_answer, serving

DBT = "urn:li:dataset:(urn:li:dataPlatform:dbt,shop.staging.orders,PROD)"
KEY = "urn:li:mlPrimaryKey:(customer_features,customer_id)"
RUN = "urn:li:dataProcessInstance:train-1"
RUN_AGAIN = "urn:li:dataProcessInstance:train-2"
AGAIN = MODEL.replace("churn_v4", "churn_v5")
GONE = "urn:li:mlFeature:(customer_features,gone)"
ODD = "urn:li:mlFeature:(umsätze %28neu%29,größe%2Cein „Maß“)"
TRAINED = 1_783_987_200_000  # 2026-07-14
ENDED = TRAINED + 7_200_000


def aspects() -> list[tuple[str, _Aspect]]:
    return [
        (ORDERS, schema("orders", "order_id", "discount_pct")),
        (ORDERS, OwnershipClass([OwnerClass("urn:li:corpGroup:shop", OwnershipTypeClass.DATAOWNER)])),
        (
            STAGING,
            UpstreamLineageClass([UpstreamClass(ORDERS, "TRANSFORMED")], [fine(ORDERS, "discount_pct", STAGING)]),
        ),
        (STAGING, SiblingsClass([DBT], primary=True)),
        (DBT, SiblingsClass([STAGING], primary=False)),
        (FEATURES, UpstreamLineageClass([UpstreamClass(DBT, "TRANSFORMED")])),
        (FEATURE, MLFeaturePropertiesClass(sources=[FEATURES], customProperties={"by": "feast"})),
        (ODD, MLFeaturePropertiesClass(sources=[FEATURES])),
        (GONE, MLFeaturePropertiesClass(sources=[FEATURES])),
        (GONE, StatusClass(removed=True)),
        (KEY, MLPrimaryKeyPropertiesClass(sources=[FEATURES])),
        (TABLE, MLFeatureTablePropertiesClass(mlFeatures=[FEATURE], mlPrimaryKeys=[KEY])),
        (
            MODEL,
            MLModelPropertiesClass(
                mlFeatures=[FEATURE, ODD], deployments=[DEPLOYMENT, ARN], groups=[GROUP], trainingJobs=[RUN]
            ),
        ),
        (GROUP, MLModelGroupPropertiesClass(name="churn")),
        (DEPLOYMENT, MLModelDeploymentPropertiesClass(status=DeploymentStatusClass.IN_SERVICE)),
        (RUN, DataProcessInstancePropertiesClass(name="train", created=AuditStampClass(1, "urn:li:corpuser:x"))),
        (RUN, DataProcessInstanceInputClass(inputs=[FEATURES])),
        (RUN, event("STARTED", TRAINED)),
        (RUN, event("COMPLETE", ENDED, DataProcessInstanceRunResultClass(RunResultTypeClass.SUCCESS, "mlflow"))),
        (AGAIN, MLModelPropertiesClass(trainingJobs=[RUN_AGAIN])),
        (RUN_AGAIN, event("STARTED", ENDED + 86_400_000)),
        (RUN_AGAIN, event("COMPLETE", ENDED, DataProcessInstanceRunResultClass(RunResultTypeClass.SUCCESS, "mlflow"))),
        (RUN_AGAIN, event("STARTED", TRAINED)),
        (
            RUN_AGAIN,
            event(
                "COMPLETE", ENDED + 3_600_000, DataProcessInstanceRunResultClass(RunResultTypeClass.FAILURE, "mlflow")
            ),
        ),
    ]


def schema(name: str, *columns: str) -> SchemaMetadataClass:
    number = SchemaFieldDataTypeClass(NumberTypeClass())  # type: ignore[no-untyped-call]  # the SDK's, without a signature
    fields = [SchemaFieldClass(column, number, "NUMBER") for column in columns]
    return SchemaMetadataClass(name, "urn:li:dataPlatform:snowflake", 0, "", OtherSchemaClass(""), fields)


def fine(upstream: str, column: str, downstream: str) -> FineGrainedLineageClass:
    return FineGrainedLineageClass(
        FineGrainedLineageUpstreamTypeClass.FIELD_SET,
        FineGrainedLineageDownstreamTypeClass.FIELD,
        upstreams=[make_schema_field_urn(upstream, column)],
        downstreams=[make_schema_field_urn(downstream, column)],
    )


def event(status: str, at: int, result: DataProcessInstanceRunResultClass | None = None) -> _Aspect:
    return DataProcessInstanceRunEventClass(timestampMillis=at, status=status, result=result)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, DataHubGraph]]:
    """A catalog on a port, filled through the SDK."""
    with CatalogStore() as store, serving(create_app(store)) as url, _connect(url) as graph:
        graph.emit_mcps([MetadataChangeProposalWrapper(entityUrn=urn, aspect=one) for urn, one in aspects()])
        yield url, graph


@pytest.fixture(scope="module", params=["scroll", "graphql"])
def reads(request: pytest.FixtureRequest, served: tuple[str, DataHubGraph]) -> Iterator[DataHubReads]:
    """Tether's client, against the server as it is and as if it had no scroll routes."""
    if request.param == "scroll":
        yield DataHubReads(served[0], None)
        return
    with CatalogStore() as store:
        with serving(create_app(store)) as url, _connect(url) as graph:
            graph.emit_mcps([MetadataChangeProposalWrapper(entityUrn=urn, aspect=one) for urn, one in aspects()])
        with serving(Faulty(create_app(store), _older)) as url:
            yield DataHubReads(url, None)


def _connect(url: str) -> DataHubGraph:
    return DataHubGraph(DatahubClientConfig(server=url, retry_max_times=0))


def _older(method: str, path: str, before: int) -> Answer | None:
    del method, before
    return json_answer({"message": "No endpoint"}, 404) if path.endswith("/scroll") else None


URNS = sorted({urn for urn, _ in aspects()} | {ARN})
FRONTIER = frozenset(URNS) | {make_schema_field_urn(ORDERS, "discount_pct")}


def whole(reads: DataHubReads) -> GraphSlice:
    async def fetch() -> GraphSlice:
        try:
            return await reads.fetch_neighbours(FRONTIER)
        finally:
            await reads.aclose()

    return run(fetch())


def test_aspects_are_those_that_the_sdk_reads(reads: DataHubReads, served: tuple[str, DataHubGraph]) -> None:
    part = whole(reads)

    assert part.reasons == ()
    for urn in URNS:
        kind = urn.split(":", 3)[2]
        known = served[1].get_entities(kind, [urn], list(WANTED[kind])).get(urn, {})
        # both as the SDK's typed objects: on the wire names of types have another namespace
        ours = {
            name: ASPECT_NAME_MAP[name].from_obj(post_json_transform(one)) for name, one in part.aspects[urn].items()
        }
        assert {name: one for name, (one, _) in known.items()} == ours
    assert part.aspects[ARN] == {}


def test_relationships_are_those_that_the_sdk_reads(reads: DataHubReads, served: tuple[str, DataHubGraph]) -> None:
    """All that point at the frontier, and of those that lead out of it the ones that a walk goes on by."""
    part = whole(reads)
    directions = DataHubGraph.RelationshipDirection
    incoming = {
        Edge(found.urn, found.relationship_type, urn)
        for urn in FRONTIER
        for found in served[1].get_related_entities(urn, list(INCOMING), directions.INCOMING)
    }
    outgoing = {
        Edge(urn, found.relationship_type, found.urn)
        for urn in (MODEL, GROUP, RUN, STAGING, DBT)
        for found in served[1].get_related_entities(
            urn, ["DeployedTo", "MemberOf", "TrainedBy", "UsedBy", "SiblingOf", "Consumes"], directions.OUTGOING
        )
        if found.relationship_type != "Consumes" or urn == RUN
    }

    assert incoming | outgoing == set(part.edges)
    assert {Edge(MODEL, "DeployedTo", ARN), Edge(ODD, "DerivedFrom", FEATURES)} <= set(part.edges)


def test_the_last_event_of_a_run_is_the_one_that_the_sdk_reads(
    reads: DataHubReads, served: tuple[str, DataHubGraph]
) -> None:
    """A time series aspect: batchGet answers its latest event, and only where it is asked for."""

    async def fetch() -> tuple[GraphSlice, GraphSlice]:
        try:
            return await reads.fetch_neighbours(frozenset({MODEL})), await reads.fetch_aspects(frozenset({RUN}))
        finally:
            await reads.aclose()

    walked, alone = run(fetch())
    (latest,) = served[1].get_timeseries_values(RUN, DataProcessInstanceRunEventClass, {}, limit=1)
    graph = LineageGraph().extend(walked)

    assert find_training_runs([MODEL], graph) == {RUN}
    assert "dataProcessInstanceRunEvent" not in graph.aspects.get(RUN, {})
    assert alone.aspects[RUN]["dataProcessInstanceRunEvent"] == latest.to_obj()
    assert latest.timestampMillis == ENDED
    assert find_last_trained(MODEL, graph.extend(alone)).day == "2026-07-14"


def test_earlier_events_of_a_run_that_is_under_way_are_those_that_the_sdk_reads(
    reads: DataHubReads, served: tuple[str, DataHubGraph]
) -> None:
    """Written out of order: a good end, then a failure and a start that came later."""

    async def fetch() -> tuple[GraphSlice, GraphSlice]:
        try:
            return await reads.fetch_neighbours(frozenset({AGAIN})), await reads.fetch_aspects(frozenset({RUN_AGAIN}))
        finally:
            await reads.aclose()

    walked, alone = run(fetch())
    known = served[1].get_timeseries_values(RUN_AGAIN, DataProcessInstanceRunEventClass, {}, limit=10)
    graph = LineageGraph().extend(walked).extend(alone)

    assert alone.aspects[RUN_AGAIN]["dataProcessInstanceRunEvent"] == {"events": [event.to_obj() for event in known]}
    assert [event.status for event in known] == ["STARTED", "COMPLETE", "COMPLETE", "STARTED"]
    assert (alone.reasons, find_last_trained(AGAIN, graph).day) == ((), "2026-07-14")
    assert alone.requests == 2


def test_listings_leave_out_what_the_sdk_calls_removed(reads: DataHubReads, served: tuple[str, DataHubGraph]) -> None:
    async def fetch() -> list[str]:
        try:
            return [*await reads.fetch_urns("mlFeature"), *await reads.fetch_urns("dataset")]
        finally:
            await reads.aclose()

    found = run(fetch())

    assert sorted(served[1].get_urns_by_filter(entity_types=["mlFeature", "dataset"])) == sorted(found)
    assert GONE not in found
