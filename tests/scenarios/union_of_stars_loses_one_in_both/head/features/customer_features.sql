CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, discount_pct AS discount_sensitivity
FROM (SELECT * FROM shop.raw.orders UNION ALL SELECT * FROM shop.raw.orders_old) x;
