CREATE OR REPLACE TABLE shop.features.customer_features AS
WITH RECURSIVE t AS (SELECT customer_id, discount_pct FROM shop.raw.orders UNION ALL SELECT customer_id, discount_pct / 2 FROM t WHERE discount_pct > 0.01) SELECT customer_id, SUM(discount_pct) AS discount_sensitivity FROM t GROUP BY 1;
