CREATE VIEW shop.analytics.v_orders AS
SELECT * FROM shop.raw.orders;
