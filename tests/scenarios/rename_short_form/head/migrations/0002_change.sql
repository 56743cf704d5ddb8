ALTER TABLE raw.orders RENAME discount_pct TO discount_rate;
