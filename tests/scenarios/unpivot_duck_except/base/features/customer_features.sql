CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, value AS discount_sensitivity FROM (UNPIVOT shop.raw.orders ON COLUMNS(* EXCLUDE (customer_id)) INTO NAME name VALUE value);
