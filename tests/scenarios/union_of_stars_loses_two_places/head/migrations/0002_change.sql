ALTER TABLE shop.raw.orders DROP COLUMN order_id;
ALTER TABLE shop.raw.orders_old DROP COLUMN quantity;
