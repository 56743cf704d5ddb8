CREATE TABLE shop.features.customer_features AS
SELECT customer_id, COUNT(CASE WHEN discount_pct > 0.1 THEN 1 END) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
