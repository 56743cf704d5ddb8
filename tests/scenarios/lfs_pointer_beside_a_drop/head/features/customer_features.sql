CREATE TABLE shop.features.customer_features AS
SELECT customer_id, count(quantity) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
