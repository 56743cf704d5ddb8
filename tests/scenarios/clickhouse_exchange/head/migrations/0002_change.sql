CREATE TABLE raw.orders_new (order_id INTEGER, customer_id INTEGER, quantity INTEGER);
EXCHANGE TABLES raw.orders AND raw.orders_new;
