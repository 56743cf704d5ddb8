ALTER TABLE shop.raw.orders DROP COLUMN quantity;
