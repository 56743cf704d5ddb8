CREATE TABLE raw.orders (order_id int, customer_id int, discount_pct decimal(5,4));
