CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, discount_pct:rate::float AS discount_sensitivity FROM shop.raw.orders;
