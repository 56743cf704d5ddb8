ALTER TABLE shop.raw.orders
  RENAME COLUMN quantity TO units,
  RENAME COLUMN discount_pct TO discount_rate;
