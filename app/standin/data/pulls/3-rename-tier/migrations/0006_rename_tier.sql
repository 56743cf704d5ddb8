ALTER TABLE shop.raw.customers RENAME COLUMN tier TO loyalty_tier;
