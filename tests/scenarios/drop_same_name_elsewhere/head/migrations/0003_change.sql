ALTER TABLE shop.raw.promotions DROP COLUMN discount_pct;
