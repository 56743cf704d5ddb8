CREATE TEMP TABLE t AS SELECT customer_id, discount_pct AS x FROM shop.raw.orders;
CREATE TABLE shop.reports.r AS SELECT x FROM t;