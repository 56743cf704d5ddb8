ALTER TABLE shop.raw.orders RENAME COLUMN discount_pct TO discount_rate;
ALTER TABLE shop.raw.orders ADD COLUMN discount_pct DECIMAL(5,4) GENERATED ALWAYS AS (discount_rate) STORED;