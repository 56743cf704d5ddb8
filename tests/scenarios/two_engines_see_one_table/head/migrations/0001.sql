CREATE TABLE lake.raw.orders (order_id INT, customer_id INT, discount_pct DOUBLE);
