ALTER TABLE shop.raw.orders RENAME TO orders_v2;
CREATE VIEW shop.raw.orders AS SELECT * FROM shop.raw.orders_v2;