CREATE OR REPLACE VIEW shop.analytics.v AS
SELECT order_id, customer_id, discount_pct, 'a' AS region
FROM shop.raw.orders;
