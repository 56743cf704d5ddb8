DROP TABLE IF EXISTS shop.features.customer_features;
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity INTO shop.features.customer_features FROM shop.raw.orders GROUP BY customer_id;
