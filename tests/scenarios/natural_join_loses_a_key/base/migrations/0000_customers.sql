CREATE TABLE shop.raw.customers (
    customer_id INTEGER,
    tier VARCHAR,
    discount_pct DECIMAL(5,4)
);
