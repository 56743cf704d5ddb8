-- migrate:up
ALTER TABLE shop.raw.orders ADD COLUMN z INT;
-- migrate:down
ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;