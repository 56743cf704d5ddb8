CREATE VIEW shop.features.customer_features AS
SELECT o.customer_id, o.quantity AS discount_sensitivity FROM shop.raw.orders o, shop.raw.customers c WHERE o.customer_id = c.customer_id (+) AND o.discount_pct > 0;
