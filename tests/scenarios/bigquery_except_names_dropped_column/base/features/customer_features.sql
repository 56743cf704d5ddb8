CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT * EXCEPT (discount_pct), 1 AS discount_sensitivity FROM shop.raw.orders;
