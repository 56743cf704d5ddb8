CREATE VIEW lake.features.customer_features AS SELECT customer_id, AVG(discount_pct) AS discount_sensitivity FROM lake.raw.orders GROUP BY 1;
