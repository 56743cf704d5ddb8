"""A small catalog for the tests of the DataHub client: the entities of one ML path, written as a connector would."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import DataHubReads

A = TypeVar("A")

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
STAGING = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.staging.orders,PROD)"
FEATURES = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.features.customer,PROD)"
FEATURE = "urn:li:mlFeature:(customer_features,discount_sensitivity)"
TABLE = "urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,customer_features)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:sagemaker,churn_v4,PROD)"
GROUP = "urn:li:mlModelGroup:(urn:li:dataPlatform:sagemaker,churn,PROD)"
DEPLOYMENT = "urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,churn-live,PROD)"
ARN = "urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,arn:aws:sagemaker:eu:1:endpoint/churn-live,PROD)"
STAMP = {"time": 1, "actor": "urn:li:corpuser:ingestion"}


def field(dataset: str, path: str) -> str:
    return f"urn:li:schemaField:({dataset},{path})"


def fine(upstream: str, downstream: str) -> dict[str, Any]:
    return {
        "upstreamType": "FIELD_SET",
        "upstreams": [upstream],
        "downstreamType": "FIELD",
        "downstreams": [downstream],
        "confidenceScore": 1.0,
    }


def upstream(dataset: str) -> dict[str, Any]:
    return {"auditStamp": STAMP, "dataset": dataset, "type": "TRANSFORMED"}


def ml_path() -> list[Proposal]:
    """orders -> staging -> features (dataset) -> feature -> model -> two deployments, one of them only named by its ARN."""
    lineage = [fine(field(ORDERS, "discount_pct"), field(STAGING, "discount"))]
    return [
        Proposal(ORDERS, "datasetProperties", value={"name": "orders", "customProperties": {}, "tags": []}),
        Proposal(STAGING, "upstreamLineage", value={"upstreams": [upstream(ORDERS)], "fineGrainedLineages": lineage}),
        Proposal(FEATURES, "upstreamLineage", value={"upstreams": [upstream(STAGING)]}),
        Proposal(FEATURE, "mlFeatureProperties", value={"sources": [FEATURES], "customProperties": {"by": "feast"}}),
        Proposal(TABLE, "mlFeatureTableProperties", value={"mlFeatures": [FEATURE], "customProperties": {}}),
        Proposal(
            MODEL,
            "mlModelProperties",
            value={
                "customProperties": {},
                "mlFeatures": [FEATURE],
                "deployments": [DEPLOYMENT, ARN],
                "groups": [GROUP],
                "tags": [],
            },
        ),
        Proposal(GROUP, "mlModelGroupProperties", value={"customProperties": {}, "name": "churn"}),
        Proposal(DEPLOYMENT, "mlModelDeploymentProperties", value={"customProperties": {}, "status": "IN_SERVICE"}),
    ]


async def no_sleep(seconds: float) -> None:
    """Tests do not wait; what would have been waited for is not of interest here."""
    del seconds


def reads(app: Any, token: str | None = None, **options: Any) -> DataHubReads:
    transport = app if isinstance(app, httpx.AsyncBaseTransport) else httpx.ASGITransport(app=app)
    return DataHubReads("http://catalog.test:8080", token, transport=transport, **{"sleep": no_sleep, **options})


def reads_of(store: CatalogStore, **options: Any) -> DataHubReads:
    return reads(create_app(store), **options)


def run(work: Coroutine[Any, Any, A]) -> A:
    return asyncio.run(work)
