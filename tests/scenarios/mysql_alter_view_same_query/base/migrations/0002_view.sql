CREATE VIEW analytics.v_orders AS
SELECT order_id, customer_id, discount_pct, quantity
FROM raw.orders;
