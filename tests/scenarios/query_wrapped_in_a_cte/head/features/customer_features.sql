CREATE OR REPLACE VIEW shop.features.customer_features AS
WITH o AS (SELECT customer_id, discount_pct FROM shop.raw.orders WHERE quantity > 0)
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity FROM o GROUP BY customer_id;
