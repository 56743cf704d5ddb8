CREATE TABLE shop.raw.orders_old (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct DECIMAL(5,4),
    quantity INTEGER
);
