CREATE TABLE shop.raw.promotions (
    promo_id     NUMBER NOT NULL,
    discount_pct NUMBER(5,4), -- not orders.discount_pct: what the promotion grants, not what the customer got
    channel      VARCHAR
);
