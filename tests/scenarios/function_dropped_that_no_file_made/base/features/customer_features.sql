CREATE TABLE shop.features.customer_features AS
SELECT customer_id, avg(shop.raw.pct(discount_pct)) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
