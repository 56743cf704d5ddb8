IF COL_LENGTH('raw.orders', 'discount_pct') IS NOT NULL ALTER TABLE raw.orders DROP COLUMN discount_pct;
