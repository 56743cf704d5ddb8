USE DATABASE shop;
ALTER TABLE raw.orders DROP COLUMN discount_pct;