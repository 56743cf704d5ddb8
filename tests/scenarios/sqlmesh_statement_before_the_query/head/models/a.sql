MODEL (name analytics.stg_orders, kind FULL, dialect duckdb);
DROP TABLE IF EXISTS @this_model;
SELECT customer_id, discount_pct FROM shop.raw.orders
