CREATE INDEX orders_customer ON raw.orders (customer_id);
ALTER TABLE raw.orders ADD CONSTRAINT positive CHECK (quantity > 0);
COMMENT ON COLUMN raw.orders.discount_pct IS 'a fraction';
