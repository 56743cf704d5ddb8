CREATE TABLE shop.raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct STRUCT<rate FLOAT64>,
    quantity INTEGER
);
