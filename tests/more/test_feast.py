"""A Feast repository, applied by Feast, ingested by DataHub's Feast connector, read by Tether."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.catalog import Proposal, ServingCatalog
from app.trail import Edge
from tests.more.connectors import TOKEN, check, ingest, needs, read, run, write_tree

pytestmark = needs("feast")

STORE = """project: acme
registry: data/registry.db
provider: local
online_store: {type: sqlite, path: data/online.db}
offline_store: {type: file}
entity_key_serialization_version: 3
"""
VIEWS = """from datetime import timedelta

from feast import Entity, FeatureService, FeatureView, Field, ValueType
from feast.infra.offline_stores.snowflake_source import SnowflakeSource
from feast.types import Float64, String

customer = Entity(name="customer", join_keys=["customer_id"], value_type=ValueType.INT64)
customer_features = FeatureView(
    name="customer_features",
    entities=[customer],
    ttl=timedelta(days=1),
    schema=[Field(name="discount_sensitivity", dtype=Float64), Field(name="tier_code", dtype=String)],
    source=SnowflakeSource(name="customers", table="CUSTOMER_FEATURES", timestamp_field="created_at"),
)
churn = FeatureService(name="churn", features=[customer_features[["discount_sensitivity"]]])
"""
#: as the connector names them
SOURCE = "urn:li:dataset:(urn:li:dataPlatform:snowflake,CUSTOMER_FEATURES,PROD)"
DISCOUNT, TIER = (f"urn:li:mlFeature:(acme.customer_features,{name})" for name in ("discount_sensitivity", "tier_code"))
KEY = "urn:li:mlPrimaryKey:(acme.customer_features,customer)"
TABLE = "urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,acme.customer_features)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn,PROD)"
CREATE = "CREATE TABLE CUSTOMER_FEATURES (customer_id INT, discount_sensitivity FLOAT, tier_code TEXT, created_at TIMESTAMP);\n"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServingCatalog]:
    folder = tmp_path_factory.mktemp("feast")
    repo = write_tree(folder / "repo", {"feature_store.yaml": STORE, "views.py": VIEWS})
    (repo / "data").mkdir()
    run("feast", "feast", "apply", "--skip-source-validation", cwd=repo)
    with ServingCatalog(token=TOKEN) as serving:
        ingest("feast", serving, {"type": "feast", "config": {"path": str(repo), "environment": "PROD"}}, folder)
        yield serving


def test_features_lead_from_their_source_to_their_table(catalog: ServingCatalog) -> None:
    part = read(catalog, lambda reads: reads.fetch_neighbours(frozenset({SOURCE, DISCOUNT, TIER, KEY})))

    assert part.reasons == ()
    assert {edge for edge in part.edges if edge.type in ("DerivedFrom", "Contains", "KeyedBy")} == {
        *(Edge(feature, "DerivedFrom", SOURCE) for feature in (DISCOUNT, TIER, KEY)),
        *(Edge(TABLE, "Contains", feature) for feature in (DISCOUNT, TIER)),
        Edge(TABLE, "KeyedBy", KEY),
    }
    assert part.aspects[SOURCE] == {}, "the connector names a dataset and makes none"
    assert part.aspects[DISCOUNT]["mlFeatureProperties"]["dataType"] == "CONTINUOUS"


def test_no_model_is_connected_by_the_connector(catalog: ServingCatalog) -> None:
    """Its feature services are not ingested: who consumes a feature, somebody else has to say."""
    listed = read(catalog, lambda reads: reads.fetch_urns("mlModel"))

    assert [urn for urn in listed if urn != MODEL] == []


def test_a_dropped_column_blocks_through_a_feast_feature(catalog: ServingCatalog, tmp_path: Path) -> None:
    base = write_tree(tmp_path / "base", {"migrations/1.sql": CREATE})
    drop = "ALTER TABLE CUSTOMER_FEATURES DROP COLUMN discount_sensitivity;\n"
    head = write_tree(tmp_path / "head", {"migrations/1.sql": CREATE, "migrations/2.sql": drop})
    config = write_tree(tmp_path, {".tether.yml": "version: 1\ndialect: snowflake\n"}) / ".tether.yml"
    consumes = {"customProperties": {"serving": "true"}, "tags": [], "mlFeatures": [DISCOUNT]}
    described = {"name": "CUSTOMER_FEATURES", "customProperties": {}, "tags": []}
    catalog.store.write([Proposal(MODEL, "mlModelProperties", value=consumes)])
    catalog.store.write([Proposal(SOURCE, "datasetProperties", value=described)])  # as the warehouse's connector does

    code, answer = check(catalog, base, head, "--config", str(config))

    assert (code, answer["verdict"]) == (1, "block")
    [finding] = [one for one in answer["findings"] if one["level"] == "block"]
    assert (finding["feature"], finding["model"], finding["column"]) == (DISCOUNT, MODEL, "discount_sensitivity")
    assert finding["trail"] == [SOURCE, DISCOUNT, MODEL]
