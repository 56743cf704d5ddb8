SELECT 1 AS a
ALTER TABLE shop.raw.orders DROP COLUMN discount_pct