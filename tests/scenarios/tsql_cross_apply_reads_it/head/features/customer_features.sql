CREATE VIEW shop.features.customer_features AS
SELECT o.customer_id, a.x AS discount_sensitivity FROM shop.raw.orders o CROSS APPLY (SELECT o.discount_pct * 2 AS x) a;
