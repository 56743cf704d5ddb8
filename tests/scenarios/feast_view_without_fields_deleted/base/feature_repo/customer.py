from feast import FeatureView
from feast.infra.offline_stores.contrib.postgres_offline_store.postgres_source import PostgreSQLSource

customer_source = PostgreSQLSource(
    name="customer_source",
    database="shop",
    schema="features",
    table="customer_features",
    timestamp_field="event_ts",
)

customer_view = FeatureView(
    name="customer_features",
    entities=[],
    source=customer_source,
)
