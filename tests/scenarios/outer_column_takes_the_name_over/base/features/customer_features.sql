CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT c.customer_id, CASE WHEN EXISTS (SELECT 1 FROM shop.raw.orders o WHERE o.customer_id = c.customer_id AND discount_pct > 0.1) THEN 1 ELSE 0 END AS discount_sensitivity FROM shop.raw.customers c;
