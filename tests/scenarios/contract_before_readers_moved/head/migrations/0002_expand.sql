ALTER TABLE raw.orders ADD COLUMN discount_rate numeric(5,4);
UPDATE raw.orders SET discount_rate = discount_pct;
