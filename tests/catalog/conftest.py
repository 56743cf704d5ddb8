"""A served catalog and the real SDK's client against it, on both of the SDK's write paths."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import DatahubClientConfig

from app.catalog import CatalogStore, ServingCatalog

TOKEN = "made-up-token"


@pytest.fixture
def store() -> Iterator[CatalogStore]:
    with CatalogStore() as store:
        yield store


@pytest.fixture
def serving() -> Iterator[ServingCatalog]:
    with ServingCatalog(token=TOKEN) as serving:
        yield serving


@pytest.fixture(params=["restli", "openapi"])
def graph(request: pytest.FixtureRequest, serving: ServingCatalog) -> Iterator[DataHubGraph]:
    with connect(serving, openapi=request.param == "openapi") as graph:
        yield graph


def connect(serving: ServingCatalog, *, openapi: bool = False) -> DataHubGraph:
    """The real client; no retries, so that a failure is seen at once."""
    return DataHubGraph(
        DatahubClientConfig(
            server=serving.url, token=serving.token, openapi_ingestion=openapi, retry_max_times=0, timeout_sec=20
        )
    )
