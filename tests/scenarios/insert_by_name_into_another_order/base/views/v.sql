CREATE OR REPLACE VIEW shop.a.v AS SELECT customer_id, discount_pct AS discount_sensitivity FROM shop.raw.orders;
