CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT customer_id, avg(discount_pct) AS discount_sensitivity
FROM shop.raw.orders JOIN shop.raw.customers USING (customer_id)
GROUP BY customer_id;
