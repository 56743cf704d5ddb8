CREATE TABLE shop.raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct NUMERIC(10,4),
    quantity INTEGER
);
