CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, to_jsonb(o) AS discount_sensitivity FROM shop.raw.orders o;
