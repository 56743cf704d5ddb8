CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, quantity AS discount_sensitivity FROM shop.raw.orders QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY discount_pct DESC) = 1;
