CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT order_id,
       customer_id,
       discount_pct * 100 AS discount_pct,
       quantity
FROM shop.raw.orders;
