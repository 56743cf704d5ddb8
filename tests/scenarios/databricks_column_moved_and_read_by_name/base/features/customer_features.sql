CREATE TABLE shop.features.customer_features AS
SELECT customer_id, avg(discount_pct) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
