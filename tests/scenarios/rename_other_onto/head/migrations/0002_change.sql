ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;
ALTER TABLE shop.raw.orders RENAME COLUMN quantity TO discount_pct;