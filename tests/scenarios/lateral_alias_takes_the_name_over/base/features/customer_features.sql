CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, quantity * 2 AS discount_pct, discount_pct + 1 AS discount_sensitivity FROM shop.raw.orders;
