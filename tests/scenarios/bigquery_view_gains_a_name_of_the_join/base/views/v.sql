CREATE OR REPLACE VIEW shop.analytics.v AS
SELECT order_id, customer_id, discount_pct
FROM shop.raw.orders;
