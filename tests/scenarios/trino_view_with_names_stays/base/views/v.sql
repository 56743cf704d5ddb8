CREATE VIEW shop.a.v AS SELECT customer_id, discount_pct FROM shop.raw.orders;
