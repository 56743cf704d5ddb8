CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, COUNT(DISTINCT (o.*)) AS discount_sensitivity FROM shop.raw.orders o GROUP BY 1;
