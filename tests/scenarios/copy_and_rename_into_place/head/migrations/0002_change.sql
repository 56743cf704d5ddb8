CREATE TABLE shop.raw.orders_new (order_id INTEGER, customer_id INTEGER, discount_pct DECIMAL(5,4), quantity INTEGER);
INSERT INTO shop.raw.orders_new (order_id, customer_id, discount_pct, quantity)
SELECT order_id, customer_id, discount_pct, quantity FROM shop.raw.orders;
DROP TABLE shop.raw.orders;
ALTER TABLE shop.raw.orders_new RENAME TO orders;
