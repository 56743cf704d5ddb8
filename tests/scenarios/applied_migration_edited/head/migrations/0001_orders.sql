CREATE TABLE shop.raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    quantity INTEGER
);
