CREATE OR REPLACE TABLE shop.features.customer_features AS
FROM shop.raw.orders |> WHERE discount_pct > 0 |> AGGREGATE AVG(quantity) AS discount_sensitivity GROUP BY customer_id;
