ALTER TABLE shop.raw.orders ADD COLUMN discount_rate DECIMAL(5,4);
UPDATE shop.raw.orders SET discount_rate = discount_pct;
