CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT * REPLACE (discount_pct AS quantity), quantity AS discount_sensitivity FROM shop.raw.orders;
