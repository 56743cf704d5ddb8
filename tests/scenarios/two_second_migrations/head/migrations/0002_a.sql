ALTER TABLE raw.orders ADD COLUMN a integer;
