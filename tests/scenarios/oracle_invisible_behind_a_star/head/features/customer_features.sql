CREATE TABLE features.customer_features AS
SELECT customer_id, discount_pct AS discount_sensitivity
FROM (SELECT * FROM raw.orders) o;
