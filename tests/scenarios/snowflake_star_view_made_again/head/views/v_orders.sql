CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT * FROM shop.raw.orders;
