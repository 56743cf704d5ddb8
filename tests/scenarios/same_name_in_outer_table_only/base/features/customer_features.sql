CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, discount_pct AS discount_sensitivity FROM shop.raw.customers c WHERE EXISTS (SELECT 1 FROM shop.raw.orders o WHERE o.customer_id = c.customer_id);
