ALTER TABLE shop.raw.orders RENAME COLUMN discount_pct TO x;
ALTER TABLE shop.raw.orders RENAME COLUMN quantity TO discount_pct;
ALTER TABLE shop.raw.orders RENAME COLUMN x TO quantity;