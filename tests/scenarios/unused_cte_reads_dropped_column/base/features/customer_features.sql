CREATE OR REPLACE TABLE shop.features.customer_features AS
WITH x AS (SELECT discount_pct FROM shop.raw.orders) SELECT customer_id, SUM(quantity) AS discount_sensitivity FROM shop.raw.orders GROUP BY 1;
