CREATE VIEW shop.features.customer_features AS
SELECT customer_id, discount_sensitivity = AVG(discount_pct) FROM shop.raw.orders WITH (NOLOCK) GROUP BY customer_id;
