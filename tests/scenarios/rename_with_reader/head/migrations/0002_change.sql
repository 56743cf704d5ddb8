ALTER TABLE shop.raw.orders RENAME COLUMN discount_pct TO discount_rate;
