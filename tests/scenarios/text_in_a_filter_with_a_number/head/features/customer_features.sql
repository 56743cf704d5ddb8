CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id,
       COUNT(*) AS discount_sensitivity
FROM shop.raw.orders
WHERE discount_pct > 0.05
GROUP BY customer_id;
