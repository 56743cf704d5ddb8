CREATE TEMP TABLE t AS SELECT customer_id, quantity AS x FROM shop.raw.orders;
CREATE TABLE shop.features.customer_features AS SELECT customer_id, AVG(x) AS discount_sensitivity FROM t GROUP BY 1;