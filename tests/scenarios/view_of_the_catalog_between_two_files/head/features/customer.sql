CREATE VIEW shop.features.customer_features AS SELECT customer_id, AVG(discount_pct) AS discount_sensitivity FROM shop.stg.o GROUP BY 1;
