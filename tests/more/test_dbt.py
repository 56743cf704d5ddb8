"""A dbt project's artifacts, ingested by DataHub's dbt connector with its own SQL parser, read by Tether."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.catalog import ServingCatalog
from app.edges.datahub import DataHubReads
from app.trail import Edge
from tests.more.connectors import TOKEN, check, ingest, needs, read, write_tree
from tests.more.dbt_project import FILES, render_catalog, render_manifest

pytestmark = needs("dbt")


def dataset(platform: str, name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},shop.{name},PROD)"


RAW, STAGED, FEATURES = (
    dataset("snowflake", name) for name in ("raw.orders", "staging.stg_orders", "features.customer_features")
)
CHURN = "urn:li:dashboard:(dbt,exposure.shop.churn)"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServingCatalog]:
    folder = tmp_path_factory.mktemp("dbt")
    write_tree(folder, {"manifest.json": render_manifest(), "catalog.json": render_catalog()})
    paths = {"manifest_path": str(folder / "manifest.json"), "catalog_path": str(folder / "catalog.json")}
    with ServingCatalog(token=TOKEN) as serving:
        ingest("dbt", serving, {"type": "dbt", "config": {**paths, "target_platform": "snowflake"}}, folder)
        yield serving


def test_models_and_their_tables_are_there(catalog: ServingCatalog) -> None:
    names = ("raw.orders", "staging.stg_orders", "features.customer_features")
    listed = read(catalog, lambda reads: reads.fetch_urns("dataset"))

    assert {dataset("dbt", name) for name in names} < set(listed)
    assert {STAGED, FEATURES} < set(listed)


def test_the_parsers_columns_lead_from_model_to_model(catalog: ServingCatalog) -> None:
    """DataHub's own parser read `avg(discount) as discount_sensitivity` in the compiled SQL."""
    urn = dataset("dbt", "features.customer_features")
    part = read(catalog, lambda reads: reads.fetch_aspects(frozenset({urn})))
    rows = part.aspects[urn]["upstreamLineage"]["fineGrainedLineages"]

    found = {(row["upstreams"][0], row["downstreams"][0]) for row in rows if row.get("upstreams")}
    expected = {"discount": "discount_sensitivity", "customer_id": "customer_id"}
    for source, made in expected.items():
        assert (f"urn:li:schemaField:({STAGED},{source})", f"urn:li:schemaField:({urn},{made})") in found


def test_the_walk_goes_from_the_staged_table_to_the_exposure(catalog: ServingCatalog) -> None:

    async def walk(reads: DataHubReads) -> set[Edge]:
        hop, edges = frozenset({STAGED}), set[Edge]()
        for _ in range(4):
            part = await reads.fetch_neighbours(hop)
            assert part.reasons == ()
            edges |= set(part.edges)
            hop = frozenset(edge.source for edge in part.edges) - hop
        return edges

    edges = read(catalog, walk)

    assert Edge(dataset("dbt", "features.customer_features"), "DownstreamOf", STAGED) in edges
    assert Edge(CHURN, "Consumes", dataset("dbt", "features.customer_features")) in edges


def test_a_column_taken_from_a_model_blocks_the_exposure(catalog: ServingCatalog, tmp_path: Path) -> None:
    base = write_tree(tmp_path / "base", FILES)
    without = "select order_id, customer_id\nfrom {{ source('raw', 'orders') }}\n"
    head = write_tree(tmp_path / "head", {**FILES, "models/stg_orders.sql": without})

    code, answer = check(catalog, base, head)

    assert (code, answer["verdict"]) == (1, "block")
    [finding] = [one for one in answer["findings"] if one["level"] == "block"]
    assert (finding["relation"], finding["column"]) == ("shop.staging.stg_orders", "discount")
    assert finding["model"] == CHURN
    assert (finding["trail"][0], finding["trail"][-1]) == (STAGED, CHURN)
