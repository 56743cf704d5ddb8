CREATE OR REPLACE VIEW shop.features.customer_features AS
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity
FROM shop.raw.orders
WHERE quantity > 0
GROUP BY customer_id LIMIT 100;
