ALTER TABLE raw.orders ADD COLUMN rate integer;
