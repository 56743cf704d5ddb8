CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, x AS discount_sensitivity FROM shop.raw.orders LATERAL VIEW explode(discount_pct) t AS x;
