CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, SUM(quantity) OVER w AS discount_sensitivity FROM shop.raw.orders WINDOW w AS (PARTITION BY customer_id ORDER BY discount_pct);
