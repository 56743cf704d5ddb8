CREATE OR REPLACE TABLE shop.features.customer_features AS
FROM shop.raw.orders SELECT customer_id, avg(discount_pct) AS discount_sensitivity GROUP BY ALL;
