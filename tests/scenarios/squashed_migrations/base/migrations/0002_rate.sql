ALTER TABLE shop.raw.orders ADD COLUMN rate INTEGER;
