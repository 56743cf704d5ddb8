CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, COUNT(*) FILTER (WHERE discount_pct > 0) AS discount_sensitivity FROM shop.raw.orders GROUP BY 1;
