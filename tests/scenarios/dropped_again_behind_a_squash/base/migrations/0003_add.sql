ALTER TABLE shop.raw.orders ADD COLUMN discount_pct DECIMAL(5,4);
