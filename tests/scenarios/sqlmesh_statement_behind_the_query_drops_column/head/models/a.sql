MODEL (name analytics.stg_orders, kind FULL, dialect duckdb);
SELECT customer_id, discount_pct FROM shop.raw.orders
;
ALTER TABLE @this_model DROP COLUMN discount_pct;
