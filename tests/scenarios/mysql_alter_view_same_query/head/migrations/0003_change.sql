ALTER ALGORITHM = MERGE VIEW analytics.v_orders AS
SELECT o.order_id, o.customer_id, o.discount_pct, o.quantity
FROM raw.orders AS o;
