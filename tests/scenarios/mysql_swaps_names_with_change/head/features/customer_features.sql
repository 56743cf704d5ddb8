CREATE TABLE features.customer_features AS
SELECT customer_id, avg(discount_pct) AS discount_sensitivity
FROM raw.orders
GROUP BY customer_id;
