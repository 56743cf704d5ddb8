CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT * FROM shop.raw.orders PIVOT (SUM(quantity) FOR discount_pct IN (0.1 AS discount_sensitivity));
