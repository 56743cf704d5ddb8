CREATE TABLE shop.raw.customers (
    customer_id NUMBER NOT NULL,
    tier        VARCHAR,
    signup_at   TIMESTAMP_NTZ NOT NULL
);
