CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, TO_JSON_STRING(o) AS discount_sensitivity FROM shop.raw.orders o;
