ALTER TABLE shop.raw.orders RENAME COLUMN quantity TO region;
