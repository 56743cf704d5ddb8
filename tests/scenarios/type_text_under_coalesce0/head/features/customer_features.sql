CREATE TABLE shop.features.customer_features AS
SELECT customer_id, SUM(COALESCE(discount_pct, 0)) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
