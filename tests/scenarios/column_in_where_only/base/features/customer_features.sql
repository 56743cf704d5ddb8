CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, SUM(quantity) AS discount_sensitivity FROM shop.raw.orders WHERE discount_pct > 0 GROUP BY customer_id;
