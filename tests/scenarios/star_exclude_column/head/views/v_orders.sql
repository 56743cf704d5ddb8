CREATE OR REPLACE VIEW shop.analytics.v_orders AS
SELECT * EXCLUDE (discount_pct) FROM shop.raw.orders;
