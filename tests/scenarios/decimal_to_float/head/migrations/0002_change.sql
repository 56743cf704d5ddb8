ALTER TABLE shop.raw.orders ALTER COLUMN discount_pct SET DATA TYPE DOUBLE;
