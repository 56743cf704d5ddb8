ALTER TABLE shop.raw.orders DROP COLUMN quantity;
ALTER TABLE shop.raw.orders_old DROP COLUMN quantity;
