CREATE TABLE shop.features.customer_features AS
SELECT customer_id, max(CASE WHEN quantity > 1 THEN discount_pct ELSE 0 END) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
