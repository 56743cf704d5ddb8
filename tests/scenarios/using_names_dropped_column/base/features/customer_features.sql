CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT o.customer_id, AVG(o.quantity) AS discount_sensitivity FROM shop.raw.orders o JOIN shop.raw.customers c USING (customer_id, discount_pct) GROUP BY 1;
