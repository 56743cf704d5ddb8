CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, o.discount_pct.rate AS discount_sensitivity FROM shop.raw.orders AS o;
