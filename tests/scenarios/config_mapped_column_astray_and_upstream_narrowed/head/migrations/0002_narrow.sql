ALTER TABLE shop.raw.orders ALTER COLUMN discount_pct TYPE DECIMAL(5,1);
