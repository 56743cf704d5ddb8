CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, discount_pct * 100 AS pct, pct + quantity AS discount_sensitivity
FROM shop.raw.orders;
