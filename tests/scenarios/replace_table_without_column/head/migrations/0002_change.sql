CREATE OR REPLACE TABLE shop.raw.orders AS
SELECT order_id, customer_id, quantity FROM shop.raw.orders;
