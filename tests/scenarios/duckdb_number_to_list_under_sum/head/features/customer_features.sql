CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, sum(quantity) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
