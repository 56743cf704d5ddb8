CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT customer_id, discount_pct, refund_pct FROM shop.raw.orders;
