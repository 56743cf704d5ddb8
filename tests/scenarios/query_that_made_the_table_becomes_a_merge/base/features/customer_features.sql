CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id,
  AVG(discount_pct) AS discount_sensitivity,
  COUNT(*) AS order_count
FROM shop.raw.orders
GROUP BY customer_id;
