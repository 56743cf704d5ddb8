"""The small graph that the tests of this room write: a table, a feature, a model, its deployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.catalog import Proposal

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
FEATURES = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.ml.features,PROD)"
AGE = "urn:li:mlFeature:(users,age)"
CHURN = "urn:li:mlModel:(urn:li:dataPlatform:sagemaker,churn,PROD)"
ENDPOINT = "urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,churn-endpoint,PROD)"


def column(dataset: str, path: str) -> str:
    return f"urn:li:schemaField:({dataset},{path})"


def upsert(urn: str, aspect: str, value: Mapping[str, Any], **headers: str) -> Proposal:
    """An UPSERT; `if_version_match="3"` becomes the header of that name."""
    return Proposal(urn, aspect, value=value, headers={name.replace("_", "-"): text for name, text in headers.items()})


def feature(*sources: str, description: str = "") -> Proposal:
    return upsert(AGE, "mlFeatureProperties", {"description": description, "sources": list(sources)})


def model() -> Proposal:
    return upsert(CHURN, "mlModelProperties", {"mlFeatures": [AGE], "deployments": [ENDPOINT]})
