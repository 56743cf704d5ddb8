CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, discount_pct * 100 AS discount_sensitivity
FROM shop.raw.orders
ORDER BY discount_sensitivity;
