CREATE OR REPLACE VIEW shop.a.v AS SELECT discount_pct AS discount_sensitivity, customer_id FROM shop.raw.orders;
