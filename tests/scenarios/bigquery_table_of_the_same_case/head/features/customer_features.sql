CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, avg(ORDERS.Discount_Pct) AS discount_sensitivity
FROM shop.raw.Orders
GROUP BY customer_id;
