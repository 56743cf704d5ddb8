ALTER TABLE shop.raw.orders ADD COLUMN pct INTEGER;
