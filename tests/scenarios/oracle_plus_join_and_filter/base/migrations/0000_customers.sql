CREATE TABLE shop.raw.customers (
    customer_id INTEGER,
    tier VARCHAR
);
