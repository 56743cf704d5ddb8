CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT order_id,
       customer_id,
       discount_pct AS discount_rate,
       quantity
FROM shop.raw.orders;
