ALTER TABLE p.raw.orders DROP COLUMN discount_pct;
