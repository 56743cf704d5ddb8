CREATE TABLE shop.raw.orders (
    order_id     NUMBER NOT NULL,
    customer_id  NUMBER NOT NULL,
    discount_pct NUMBER(5,4),
    quantity     NUMBER NOT NULL,
    amount_cents NUMBER NOT NULL,
    created_at   TIMESTAMP_NTZ NOT NULL
);
