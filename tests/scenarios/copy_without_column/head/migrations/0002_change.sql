CREATE TABLE shop.raw.orders_new (order_id INTEGER, customer_id INTEGER, quantity INTEGER);
INSERT INTO shop.raw.orders_new (order_id, customer_id, quantity)
SELECT order_id, customer_id, quantity FROM shop.raw.orders;
DROP TABLE shop.raw.orders;
ALTER TABLE shop.raw.orders_new RENAME TO orders;
