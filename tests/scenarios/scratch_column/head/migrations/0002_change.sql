ALTER TABLE shop.raw.orders ADD COLUMN scratch INTEGER;
ALTER TABLE shop.raw.orders DROP COLUMN scratch;
