CREATE TABLE shop.raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct DECIMAL(5,4),
    quantity INTEGER
);
CREATE TABLE shop.raw.orders_copy AS SELECT * FROM shop.raw.orders;