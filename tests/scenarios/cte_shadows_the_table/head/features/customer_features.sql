CREATE OR REPLACE TABLE shop.features.customer_features AS
WITH orders AS (SELECT 1 AS customer_id, 0.5 AS discount_pct) SELECT customer_id, discount_pct AS discount_sensitivity FROM orders;
