CREATE TABLE shop.raw.orders_narrow (
    order_id INT,
    customer_id INT
);
