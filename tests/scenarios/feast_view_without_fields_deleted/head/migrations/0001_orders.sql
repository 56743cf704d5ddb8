CREATE TABLE shop.raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct DECIMAL(5,4),
    quantity INTEGER
);
