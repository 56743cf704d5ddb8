"""The real SDK against a served catalog, on its Rest.li and its OpenAPI path."""

from __future__ import annotations

from datetime import timedelta

import pytest
from datahub.configuration.common import OperationalError
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.rest_emitter import EmitMode
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.filters import RawSearchFilterRule, RemovedStatusFilter
from datahub.ingestion.graph.openapi import LineageDirection, RelationshipDirection
from datahub.metadata.schema_classes import (
    ChangeTypeClass,
    DatasetPropertiesClass,
    GlobalTagsClass,
    MLFeaturePropertiesClass,
    MLModelPropertiesClass,
    StatusClass,
    SystemMetadataClass,
    TagAssociationClass,
    UpstreamClass,
    UpstreamLineageClass,
)
from datahub.specific.dataset import DatasetPatchBuilder

from app.catalog import ServingCatalog
from tests.catalog.conftest import connect
from tests.catalog.urns import AGE, CHURN, ENDPOINT, FEATURES, ORDERS


def mcp(urn: str, aspect: object, **more: object) -> MetadataChangeProposalWrapper:
    return MetadataChangeProposalWrapper(entityUrn=urn, aspect=aspect, **more)  # type: ignore[arg-type]  # any aspect class


@pytest.fixture
def walked(graph: DataHubGraph) -> DataHubGraph:
    """orders -> features -> age -> churn -> endpoint, written by the SDK in one batch."""
    graph.emit_mcps(
        [
            mcp(ORDERS, DatasetPropertiesClass(name="orders", customProperties={"team": "growth"})),
            mcp(FEATURES, UpstreamLineageClass(upstreams=[UpstreamClass(ORDERS, "TRANSFORMED")])),
            mcp(AGE, MLFeaturePropertiesClass(sources=[FEATURES])),
            mcp(CHURN, MLModelPropertiesClass(mlFeatures=[AGE], deployments=[ENDPOINT])),
        ]
    )
    return graph


def test_written_aspects_are_read_back(walked: DataHubGraph) -> None:
    properties = walked.get_aspect(AGE, MLFeaturePropertiesClass)
    assert properties is not None
    assert properties.sources == [FEATURES]
    assert walked.get_aspect(AGE, StatusClass) is None
    assert (walked.exists(AGE), walked.exists("urn:li:mlFeature:(users,other)")) == (True, False)
    assert {"mlModelKey", "mlModelProperties"} == set(walked.get_entity_semityped(CHURN))
    mcps = walked.get_entity_as_mcps(AGE, ["mlFeatureProperties"])
    assert {"mlFeatureKey", "mlFeatureProperties"} == {
        one.aspectName for one in mcps
    }  # the key comes along, as from GMS


def test_batch_get_carries_versions_and_runs(walked: DataHubGraph) -> None:
    system = SystemMetadataClass(runId="tether-1", lastObserved=7)
    walked.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(sources=[FEATURES, ORDERS]), systemMetadata=system))
    found = walked.get_entities("mlFeature", [AGE], ["mlFeatureProperties"], with_system_metadata=True)
    _, metadata = found[AGE]["mlFeatureProperties"]
    assert metadata is not None
    assert (metadata.version, metadata.runId, metadata.lastObserved) == ("2", "tether-1", 7)
    assert walked.get_entities("mlFeature", ["urn:li:mlFeature:(users,other)"]) == {}


def test_relationships_scroll_in_pages(walked: DataHubGraph) -> None:
    names = [f"urn:li:mlFeature:(users,f{number})" for number in range(25)]
    walked.emit_mcps([mcp(name, MLFeaturePropertiesClass(sources=[FEATURES])) for name in names])
    found, scroll_id = [], None
    while True:
        page = walked.scroll_relationships(
            relationship_types=["DerivedFrom"],
            source_types=["mlFeature"],
            direction=RelationshipDirection.OUTGOING,
            destination_urns=[FEATURES, ORDERS],
            count=10,
            scroll_id=scroll_id,
        )
        found += [one.source_urn for one in page.relationships]
        scroll_id = page.scroll_id
        if scroll_id is None:
            break
    assert sorted([AGE, *names]) == sorted(found)


def test_deployments_are_reachable_by_relationship(walked: DataHubGraph) -> None:
    page = walked.scroll_relationships(relationship_types=["DeployedTo"], source_urns=[CHURN])
    assert [(one.destination_urn, one.destination_entity_type) for one in page.relationships] == [
        (ENDPOINT, "mlModelDeployment")
    ]


def test_lineage_scroll_knows_upstream_from_downstream(walked: DataHubGraph) -> None:
    down = walked.scroll_lineage(urns=[FEATURES], direction=LineageDirection.DOWNSTREAM, count=100)
    up = walked.scroll_lineage(urns=[FEATURES], direction=LineageDirection.UPSTREAM, count=100)
    assert [(one.upstream_urn, one.downstream_urn) for one in down.relationships] == [(FEATURES, AGE)]
    assert [(one.upstream_urn, one.downstream_urn) for one in up.relationships] == [(ORDERS, FEATURES)]


def test_older_relationships_route_ends(walked: DataHubGraph) -> None:
    related = walked.get_related_entities(AGE, ["Consumes"], walked.RelationshipDirection.INCOMING)
    assert [(one.urn, one.relationship_type) for one in related] == [(CHURN, "Consumes")]


def test_conditional_write_and_its_conflict(walked: DataHubGraph) -> None:
    walked.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(sources=[ORDERS]), headers={"If-Version-Match": "1"}))
    with pytest.raises(OperationalError, match="Expected version 1, actual version 2"):
        walked.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(sources=[]), headers={"If-Version-Match": "1"}))
    with pytest.raises(OperationalError, match="Expected version -1"):
        walked.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(sources=[]), headers={"If-Version-Match": "-1"}))
    properties = walked.get_aspect(AGE, MLFeaturePropertiesClass)
    assert properties is not None
    assert properties.sources == [ORDERS]


def test_forbidden_destination_and_unknown_aspect(graph: DataHubGraph) -> None:
    with pytest.raises(OperationalError, match="not a valid destination for field path: /sources"):
        graph.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(sources=[f"urn:li:schemaField:({ORDERS},a)"])))
    with pytest.raises(OperationalError, match="Unknown aspect datasetProperties for entity mlFeature"):
        graph.emit_mcp(mcp(AGE, DatasetPropertiesClass()))
    assert not graph.exists(AGE)


def test_soft_and_hard_deletes(walked: DataHubGraph) -> None:
    walked.soft_delete_entity(AGE, run_id="r")
    status = walked.get_aspect(AGE, StatusClass)
    assert status is not None
    assert status.removed
    assert list(walked.get_urns_by_filter(entity_types=["mlFeature"])) == []
    everything = walked.get_urns_by_filter(entity_types=["mlFeature"], status=RemovedStatusFilter.ALL)
    assert list(everything) == [AGE]
    assert list(
        walked.get_urns_by_filter(entity_types=["mlFeature"], status=RemovedStatusFilter.ONLY_SOFT_DELETED)
    ) == [AGE]
    rows, series = walked.hard_delete_entity(AGE)
    assert (rows >= 3, series, walked.exists(AGE)) == (True, 0, False)
    assert walked.scroll_relationships(relationship_types=["DerivedFrom"]).relationships == []


def test_patch_builders(walked: DataHubGraph) -> None:
    tag = "urn:li:tag:tether:inferred"
    builder = DatasetPatchBuilder(FEATURES).add_tag(TagAssociationClass(tag=tag))
    builder.add_upstream_lineage(UpstreamClass("urn:li:dataset:(urn:li:dataPlatform:snowflake,other,PROD)", "COPY"))
    walked.emit_mcps(builder.build())
    walked.emit_mcps(builder.build())
    tags, lineage = walked.get_aspect(FEATURES, GlobalTagsClass), walked.get_aspect(FEATURES, UpstreamLineageClass)
    assert tags is not None
    assert lineage is not None
    assert ([tag], 2) == ([one.tag for one in tags.tags], len(lineage.upstreams))


def test_urns_by_filter(walked: DataHubGraph) -> None:
    find = walked.get_urns_by_filter
    assert sorted(find(entity_types=["dataset"], platform="snowflake")) == [FEATURES, ORDERS]
    assert list(find(entity_types=["dataset"], platform="bigquery")) == []
    assert sorted(find(entity_types=["dataset"], env="PROD")) == [FEATURES, ORDERS]
    assert list(find(entity_types=["dataset"], query="orders")) == [ORDERS]
    owned: RawSearchFilterRule = {"field": "customProperties", "condition": "EQUAL", "values": ["team=growth"]}
    assert list(find(entity_types=["dataset"], extraFilters=[owned])) == [ORDERS]
    assert {CHURN, AGE} == set(find(entity_types=["mlModel", "mlFeature"], batch_size=1))


def test_entity_scroll(walked: DataHubGraph) -> None:
    page = walked.scroll_entities(entity_names=["dataset"], aspects=["datasetKey"], count=1)
    assert (page.total_count, len(page.entities)) == (2, 1)
    rest = walked.scroll_entities(entity_names=["dataset"], aspects=[], count=5, scroll_id=page.scroll_id)
    assert {"datasetKey", "datasetProperties"} == set(rest.entities[ORDERS])
    assert rest.scroll_id is None


def test_create_if_absent_on_restli(serving: ServingCatalog) -> None:
    with connect(serving) as graph:
        for description in ("first", "second"):
            proposal = mcp(AGE, MLFeaturePropertiesClass(description=description), changeType=ChangeTypeClass.CREATE)
            proposal.headers = {"If-None-Match": "*"}
            graph.emit_mcp(proposal)
        properties = graph.get_aspect(AGE, MLFeaturePropertiesClass)
        assert properties is not None
        assert properties.description == "first"
        with pytest.raises(OperationalError, match="already exists"):
            graph.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(), changeType=ChangeTypeClass.CREATE))


def test_asynchronous_conflicts_are_dropped_in_silence_as_gms_does(serving: ServingCatalog) -> None:
    with connect(serving) as graph:
        graph.emit_mcp(mcp(AGE, MLFeaturePropertiesClass(description="kept")))
        stale = mcp(AGE, MLFeaturePropertiesClass(description="lost"), headers={"If-Version-Match": "9"})
        graph.emit_mcp(stale, emit_mode=EmitMode.ASYNC)
        properties = graph.get_aspect(AGE, MLFeaturePropertiesClass)
        assert properties is not None
        assert properties.description == "kept"


def test_waiting_for_an_asynchronous_write(serving: ServingCatalog) -> None:
    with connect(serving, openapi=True) as graph:
        graph.test_connection()
        trace = graph.emit_mcp(
            mcp(AGE, MLFeaturePropertiesClass()), emit_mode=EmitMode.ASYNC_WAIT, wait_timeout=timedelta(seconds=5)
        )
        assert trace is not None
        assert graph.exists(AGE)


def test_token_is_needed(serving: ServingCatalog) -> None:
    serving.token = "another"
    with connect(serving) as graph, pytest.raises(Exception, match="401 Client Error"):
        graph.get_aspect(AGE, MLFeaturePropertiesClass)


def test_lineage_client_walks_hops(walked: DataHubGraph) -> None:
    variables = {"input": {"urn": ORDERS, "direction": "DOWNSTREAM", "query": "*", "count": 10}}
    data = walked.execute_graphql(
        "query q($input: ScrollAcrossLineageInput!) { scrollAcrossLineage(input: $input) { total searchResults { degree "
        "entity { urn } paths { path { urn } } } } }",
        variables,
    )
    results = data["scrollAcrossLineage"]["searchResults"]
    assert [(one["entity"]["urn"], one["degree"]) for one in results] == [(FEATURES, 1), (AGE, 2), (CHURN, 3)]
    assert [step["urn"] for step in results[2]["paths"][0]["path"]] == [ORDERS, FEATURES, AGE, CHURN]
