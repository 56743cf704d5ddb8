ALTER TABLE raw.orders ADD COLUMN b integer;
