ALTER TABLE shop.raw.orders ALTER COLUMN customer_id SET DATA TYPE varchar;
