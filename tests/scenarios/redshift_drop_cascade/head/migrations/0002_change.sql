ALTER TABLE raw.orders DROP COLUMN discount_pct CASCADE;
