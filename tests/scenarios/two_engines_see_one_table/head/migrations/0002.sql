ALTER TABLE lake.raw.orders DROP COLUMN discount_pct;
