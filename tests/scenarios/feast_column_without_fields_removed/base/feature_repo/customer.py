from feast import FeatureView, Field
from feast.infra.offline_stores.contrib.postgres_offline_store.postgres_source import PostgreSQLSource
from feast.types import Float64

customer_source = PostgreSQLSource(
    name="customer_source",
    query="""
        SELECT customer_id,
               AVG(discount_pct) AS discount_sensitivity,
               MAX(created_at) AS event_ts
        FROM shop.raw.orders
        GROUP BY customer_id
    """,
    timestamp_field="event_ts",
)

customer_view = FeatureView(
    name="customer_features",
    entities=[],
    source=customer_source,
)
