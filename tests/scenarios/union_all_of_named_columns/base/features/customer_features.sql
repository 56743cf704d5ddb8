CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id,
       AVG(discount_pct) AS discount_sensitivity
FROM (SELECT customer_id, discount_pct FROM shop.raw.orders UNION ALL SELECT customer_id, discount_pct FROM shop.raw.orders) AS both_halves
GROUP BY customer_id;
