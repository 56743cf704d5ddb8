CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT * FROM shop.raw.orders PIVOT (SUM(quantity) FOR customer_id IN (1 AS discount_sensitivity));
