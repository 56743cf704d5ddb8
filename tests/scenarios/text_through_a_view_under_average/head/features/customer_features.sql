CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id,
       AVG(pct) AS discount_sensitivity
FROM shop.analytics.v_orders
GROUP BY customer_id;
