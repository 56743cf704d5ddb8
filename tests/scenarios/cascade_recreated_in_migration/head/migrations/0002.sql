ALTER TABLE shop.raw.orders DROP COLUMN discount_pct CASCADE;
CREATE VIEW shop.features.customer_features AS SELECT customer_id, quantity AS discount_sensitivity FROM shop.raw.orders;