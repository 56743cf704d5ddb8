CREATE TABLE raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct DECIMAL(5,4),
    quantity INTEGER
);
CREATE SYNONYM raw.ord FOR raw.orders;