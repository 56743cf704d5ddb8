CREATE OR REPLACE TABLE shop.features.unit_features AS
SELECT customer_id,
       SUM(quantity) AS units
FROM shop.raw.orders
GROUP BY customer_id;
