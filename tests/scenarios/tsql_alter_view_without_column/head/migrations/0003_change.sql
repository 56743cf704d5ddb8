ALTER VIEW analytics.v_orders AS
SELECT order_id, customer_id, quantity
FROM raw.orders;
