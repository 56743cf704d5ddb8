CREATE OR REPLACE TABLE shop.features.segment_features AS
SELECT
    customer_id,
    CASE tier WHEN 'gold' THEN 3 WHEN 'silver' THEN 2 ELSE 1 END AS tier_code
FROM shop.raw.customers;
