CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, COLUMNS('disc.*') FROM shop.raw.orders;
