CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, val AS discount_sensitivity FROM shop.raw.orders UNPIVOT (val FOR k IN (discount_pct, quantity));
