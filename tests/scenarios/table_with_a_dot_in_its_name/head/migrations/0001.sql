CREATE TABLE shop.raw."my.orders" (order_id INT, customer_id INT, discount_pct NUMERIC);
