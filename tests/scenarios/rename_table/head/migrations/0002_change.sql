ALTER TABLE shop.raw.orders RENAME TO orders_archive;
