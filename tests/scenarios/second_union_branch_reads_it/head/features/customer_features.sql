CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, quantity AS discount_sensitivity FROM shop.raw.orders UNION ALL SELECT customer_id, discount_pct FROM shop.raw.orders;
