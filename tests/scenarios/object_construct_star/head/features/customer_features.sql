CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, OBJECT_CONSTRUCT(*) AS discount_sensitivity FROM shop.raw.orders o;
