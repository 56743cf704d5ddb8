CREATE TABLE shop.features.customer_features AS
SELECT customer_id, max(d) AS discount_sensitivity
FROM shop.a.v
GROUP BY customer_id;
