CREATE TEMP TABLE scratch AS SELECT order_id, discount_pct FROM raw.orders;
DROP TABLE scratch;
