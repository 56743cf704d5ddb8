DECLARE d DATE DEFAULT CURRENT_DATE();
CREATE TEMP TABLE t AS SELECT customer_id, discount_pct AS x FROM shop.raw.orders;
CREATE OR REPLACE TABLE shop.features.customer_features AS SELECT customer_id, AVG(x) AS discount_sensitivity FROM t GROUP BY 1;