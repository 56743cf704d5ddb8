CREATE TABLE raw.orders (order_id integer, customer_id integer, discount_pct numeric(5,4) DEFAULT 0, quantity integer);
