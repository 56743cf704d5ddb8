CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, discount_pct AS discount_sensitivity FROM (SELECT customer_id, quantity AS discount_pct FROM shop.raw.orders) x;
