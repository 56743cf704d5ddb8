-- replaces the feature on discount_pct
CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, AVG(quantity) AS discount_sensitivity, 'discount_pct' AS retired
FROM shop.raw.orders
GROUP BY customer_id;
