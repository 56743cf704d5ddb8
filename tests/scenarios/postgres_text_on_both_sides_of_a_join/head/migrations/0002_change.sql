ALTER TABLE shop.raw.orders ALTER COLUMN customer_id TYPE text;
ALTER TABLE shop.raw.customers ALTER COLUMN customer_id TYPE text;
