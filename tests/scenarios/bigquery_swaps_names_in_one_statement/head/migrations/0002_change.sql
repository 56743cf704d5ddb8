ALTER TABLE shop.raw.orders
  RENAME COLUMN discount_pct TO list_pct,
  RENAME COLUMN list_pct TO discount_pct;
