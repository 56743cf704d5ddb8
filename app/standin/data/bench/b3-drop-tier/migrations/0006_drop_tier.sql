ALTER TABLE shop.raw.customers DROP COLUMN tier;
