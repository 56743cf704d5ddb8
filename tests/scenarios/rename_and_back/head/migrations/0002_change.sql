ALTER TABLE shop.raw.orders RENAME COLUMN discount_pct TO x;
ALTER TABLE shop.raw.orders RENAME COLUMN x TO discount_pct;
