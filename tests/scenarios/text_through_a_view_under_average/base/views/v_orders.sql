CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT customer_id, discount_pct AS pct
FROM shop.raw.orders;
