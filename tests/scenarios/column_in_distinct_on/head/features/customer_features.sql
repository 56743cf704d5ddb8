CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT DISTINCT ON (discount_pct) customer_id, quantity AS discount_sensitivity FROM shop.raw.orders;
