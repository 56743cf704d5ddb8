CREATE TABLE shop.raw.payments (
    payment_id   NUMBER NOT NULL,
    customer_id  NUMBER NOT NULL,
    status       VARCHAR NOT NULL,
    amount_cents NUMBER NOT NULL,
    paid_at      TIMESTAMP_NTZ NOT NULL
);
