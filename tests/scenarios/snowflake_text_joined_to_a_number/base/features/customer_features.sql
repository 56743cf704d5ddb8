CREATE TABLE shop.features.customer_features AS
SELECT o.order_id AS customer_id, o.discount_pct AS discount_sensitivity
FROM shop.raw.orders o
JOIN shop.raw.customers c ON o.customer_id = c.customer_id;
