CREATE OR REPLACE VIEW shop.analytics.v_orders AS
WITH orders AS (
    SELECT * FROM shop.raw.orders
)
SELECT order_id, customer_id, discount_pct, quantity
FROM orders;
