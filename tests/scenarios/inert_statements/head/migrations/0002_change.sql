BEGIN;
SET lock_timeout = '2s';
CREATE INDEX orders_discount ON raw.orders (discount_pct);
COMMENT ON COLUMN raw.orders.discount_pct IS 'DROP COLUMN discount_pct';
GRANT SELECT ON raw.orders TO analysts;
ALTER TABLE raw.orders ADD CONSTRAINT positive CHECK (quantity > 0) NOT VALID;
ANALYZE raw.orders;
COMMIT;
