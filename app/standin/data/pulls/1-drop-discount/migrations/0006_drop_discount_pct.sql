ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;
