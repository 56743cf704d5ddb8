CREATE OR REPLACE TABLE shop.features.basket_features AS
SELECT
    customer_id,
    AVG(quantity) AS avg_basket_qty,
    SUM(quantity) AS units_90d
FROM shop.analytics.stg_orders
GROUP BY customer_id;
