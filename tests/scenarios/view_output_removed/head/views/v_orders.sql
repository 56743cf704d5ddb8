CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT order_id,
       customer_id,
       quantity
FROM shop.raw.orders;
