CREATE TABLE p.raw.orders (order_id INT64, customer_id INT64, discount_pct NUMERIC);
