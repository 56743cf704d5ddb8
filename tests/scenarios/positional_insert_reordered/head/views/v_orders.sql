CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT customer_id, refund_pct, discount_pct FROM shop.raw.orders;
