CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT o.customer_id, f.value AS discount_sensitivity FROM shop.raw.orders o, LATERAL FLATTEN(input => o.discount_pct) f;
