CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT quantity, discount_pct, customer_id, order_id
FROM shop.raw.orders;
