ALTER TABLE shop.raw.orders ADD COLUMN note VARCHAR;
