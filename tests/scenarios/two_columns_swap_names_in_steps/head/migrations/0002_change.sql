ALTER TABLE shop.raw.orders RENAME COLUMN discount_pct TO tmp;
ALTER TABLE shop.raw.orders RENAME COLUMN list_pct TO discount_pct;
ALTER TABLE shop.raw.orders RENAME COLUMN tmp TO list_pct;
