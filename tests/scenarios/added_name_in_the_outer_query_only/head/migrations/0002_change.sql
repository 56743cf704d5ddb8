ALTER TABLE shop.raw.customers ADD COLUMN discount_pct INTEGER;
