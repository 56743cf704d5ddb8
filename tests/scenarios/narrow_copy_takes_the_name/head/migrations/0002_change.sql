CREATE TABLE shop.raw.orders_new AS SELECT order_id, customer_id, quantity FROM shop.raw.orders;
DROP TABLE shop.raw.orders;
ALTER TABLE shop.raw.orders_new RENAME TO orders;