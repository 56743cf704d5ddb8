ALTER TABLE shop.raw.orders ADD COLUMN region VARCHAR(20);
