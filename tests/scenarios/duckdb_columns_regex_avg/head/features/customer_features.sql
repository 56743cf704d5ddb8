CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, MIN(COLUMNS('disc.*')) AS discount_sensitivity FROM shop.raw.orders GROUP BY 1;
