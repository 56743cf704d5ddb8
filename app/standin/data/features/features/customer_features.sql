-- How much of what a customer buys is bought at a discount.
CREATE OR REPLACE TABLE shop.features.customer_features AS
SELECT
    customer_id,
    AVG(discount_pct) AS discount_sensitivity
FROM shop.raw.orders
GROUP BY customer_id;
