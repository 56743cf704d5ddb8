"""Edges as the SDK's annotations draw them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.catalog.refusal import RequestRefused
from app.catalog.registry import aspect_spec, check_value, parse_entity_type
from app.catalog.relationships import GraphEdge, find_edges
from tests.catalog.urns import AGE, CHURN, ENDPOINT, FEATURES, ORDERS, column

JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,train,PROD),fit)"
RUN = "urn:li:dataProcessInstance:run-1"
STAMP = {"time": 0, "actor": "urn:li:corpuser:a"}


def edges(urn: str, aspect: str, value: Mapping[str, Any]) -> set[tuple[str, str, str, int]]:
    spec = aspect_spec(aspect)
    assert spec is not None
    found = find_edges(urn, aspect, spec.relations, check_value(urn, aspect, value))
    return {(edge.source, edge.name, edge.destination, edge.lineage) for edge in found}


@pytest.mark.parametrize(
    ("urn", "aspect", "value", "expected"),
    [
        (AGE, "mlFeatureProperties", {"sources": [ORDERS, ORDERS]}, {("DerivedFrom", ORDERS, 1)}),
        (
            CHURN,
            "mlModelProperties",
            {"mlFeatures": [AGE], "deployments": [ENDPOINT], "trainingJobs": [JOB], "downstreamJobs": [RUN]},
            {("Consumes", AGE, 1), ("DeployedTo", ENDPOINT, 0), ("TrainedBy", JOB, 1), ("UsedBy", RUN, -1)},
        ),
        (
            JOB,
            "dataJobInputOutput",
            {
                "inputDatasets": [ORDERS],
                "outputDatasets": [],
                "inputDatasetEdges": [{"destinationUrn": ORDERS}],
                "outputDatasetEdges": [{"destinationUrn": FEATURES}],
                "inputDatajobs": [JOB],
            },
            {("Consumes", ORDERS, 1), ("Produces", FEATURES, -1), ("DownstreamOf", JOB, 1)},
        ),
        (
            RUN,
            "dataProcessInstanceInput",
            {"inputs": [ORDERS], "inputEdges": [{"destinationUrn": ORDERS}]},
            {("Consumes", ORDERS, 0), ("DataProcessInstanceConsumes", ORDERS, 1)},
        ),
        (
            "urn:li:incident:a",
            "incidentInfo",
            {
                "type": "CUSTOM",
                "entities": [ORDERS],
                "created": STAMP,
                "status": {"state": "ACTIVE", "lastUpdated": STAMP},
            },
            {("IncidentOn", ORDERS, 0)},
        ),
        (
            ORDERS,
            "ownership",
            {"owners": [{"owner": "urn:li:corpuser:a", "type": "DATAOWNER"}], "lastModified": STAMP},
            {("OwnedBy", "urn:li:corpuser:a", 0)},
        ),
        (
            "urn:li:chart:(looker,1)",
            "chartInfo",
            {
                "title": "t",
                "description": "",
                "lastModified": {"created": STAMP, "lastModified": STAMP},
                "inputs": [{"string": ORDERS}],
            },
            {("Consumes", ORDERS, 1)},
        ),
        (
            "urn:li:assertion:a",
            "assertionInfo",
            {
                "type": "DATASET",
                "datasetAssertion": {"dataset": ORDERS, "scope": "DATASET_ROWS", "operator": "EQUAL_TO"},
            },
            {("Asserts", ORDERS, 0)},
        ),
    ],
)
def test_annotated_edges(urn: str, aspect: str, value: Mapping[str, Any], expected: set[tuple[str, str, int]]) -> None:
    assert {(urn, *edge) for edge in expected} == edges(urn, aspect, value)


def test_column_lineage_draws_edges_between_columns() -> None:
    query = "urn:li:query:q"
    lineage = {
        "upstreams": [{"dataset": ORDERS, "type": "TRANSFORMED", "query": query}],
        "fineGrainedLineages": [
            {
                "upstreamType": "FIELD_SET",
                "upstreams": [column(ORDERS, "price"), column(ORDERS, "qty")],
                "downstreamType": "FIELD",
                "downstreams": [column(FEATURES, "spend")],
            }
        ],
    }
    spec = aspect_spec("upstreamLineage")
    assert spec is not None
    found = find_edges(FEATURES, "upstreamLineage", spec.relations, check_value(FEATURES, "upstreamLineage", lineage))
    assert {
        GraphEdge(FEATURES, "DownstreamOf", ORDERS, 1, query),
        GraphEdge(FEATURES, "DownstreamOf", column(ORDERS, "price"), 0),
        GraphEdge(FEATURES, "DownstreamOf", column(ORDERS, "qty"), 0),
        GraphEdge(column(FEATURES, "spend"), "DownstreamOf", column(ORDERS, "price"), 0),
        GraphEdge(column(FEATURES, "spend"), "DownstreamOf", column(ORDERS, "qty"), 0),
    } == set(found)


def test_column_lineage_of_a_job_runs_through_the_job() -> None:
    lineage = {
        "upstreamType": "FIELD_SET",
        "upstreams": [column(ORDERS, "price")],
        "downstreamType": "FIELD",
        "downstreams": [column(FEATURES, "spend")],
    }
    value = {"inputDatasets": [], "outputDatasets": [], "fineGrainedLineages": [lineage]}
    spec = aspect_spec("dataJobInputOutput")
    assert spec is not None
    (edge,) = find_edges(JOB, "dataJobInputOutput", spec.relations, check_value(JOB, "dataJobInputOutput", value))
    assert GraphEdge(column(FEATURES, "spend"), "DownstreamOf", column(ORDERS, "price"), 0, JOB) == edge


def test_training_data_draws_no_edge() -> None:
    """The fact that hides training sets from every lineage view: BaseData.dataset carries no annotation."""
    assert set() == edges(CHURN, "mlModelTrainingData", {"trainingData": [{"dataset": ORDERS}]})


@pytest.mark.parametrize(
    ("urn", "aspect", "value", "path"),
    [
        (AGE, "mlFeatureProperties", {"sources": [ORDERS, column(ORDERS, "a")]}, r"/sources/\*"),
        (CHURN, "mlModelProperties", {"mlFeatures": [ORDERS]}, r"/mlFeatures/\*"),
        (FEATURES, "upstreamLineage", {"upstreams": [{"dataset": AGE, "type": "VIEW"}]}, r"/upstreams/\*/dataset"),
    ],
)
def test_forbidden_destination_is_worded_as_gms_words_it(
    urn: str, aspect: str, value: Mapping[str, Any], path: str
) -> None:
    with pytest.raises(RequestRefused, match=f"is not a valid destination for field path: {path}") as refused:
        edges(urn, aspect, value)
    assert refused.value.status == 422
    assert aspect in refused.value.message
    assert urn in refused.value.message


def test_incident_on_a_deployment_is_forbidden() -> None:
    status = {"state": "ACTIVE", "lastUpdated": STAMP}
    with pytest.raises(RequestRefused, match="not a valid destination"):
        edges(
            "urn:li:incident:a",
            "incidentInfo",
            {"type": "CUSTOM", "entities": [ENDPOINT], "created": STAMP, "status": status},
        )


def test_destination_that_is_no_urn() -> None:
    with pytest.raises(RequestRefused, match="is not an urn"):
        edges(AGE, "mlFeatureProperties", {"sources": ["orders"]})


def test_types_of_the_urns_used_here() -> None:
    assert [*map(parse_entity_type, (ORDERS, AGE, ENDPOINT))] == ["dataset", "mlFeature", "mlModelDeployment"]
