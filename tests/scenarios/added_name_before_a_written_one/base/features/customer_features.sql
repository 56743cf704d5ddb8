CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT *, discount_pct AS discount_sensitivity
FROM shop.raw.orders;
