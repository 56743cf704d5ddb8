ALTER TABLE shop.raw.orders ADD COLUMN kept DECIMAL(5,4);
UPDATE shop.raw.orders SET kept = discount_pct;
ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;
ALTER TABLE shop.raw.orders ADD COLUMN discount_pct DECIMAL(5,4);
UPDATE shop.raw.orders SET discount_pct = kept;
