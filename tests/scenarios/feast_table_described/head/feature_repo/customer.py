from feast import FeatureView, Field
from feast.infra.offline_stores.contrib.postgres_offline_store.postgres_source import PostgreSQLSource
from feast.types import Float64

customer_source = PostgreSQLSource(
    name="customer_source",
    owner="growth",
    database="shop",
    schema="features",
    table="customer_features",
    timestamp_field="event_ts",
)

customer_view = FeatureView(
    name="customer_features",
    entities=[],
    description="Of a customer.",
    schema=[Field(name="discount_sensitivity", dtype=Float64)],
    source=customer_source,
)
