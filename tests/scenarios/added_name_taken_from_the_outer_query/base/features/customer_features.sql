CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT c.customer_id,
    (SELECT avg(discount_pct) FROM shop.raw.orders o WHERE o.customer_id = c.customer_id AND region = 'north') AS discount_sensitivity
FROM shop.raw.customers c;
