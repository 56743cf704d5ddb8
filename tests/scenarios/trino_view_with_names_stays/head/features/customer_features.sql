CREATE TABLE shop.features.customer_features AS
SELECT customer_id, avg(discount_pct) AS discount_sensitivity
FROM shop.a.v
GROUP BY customer_id;
