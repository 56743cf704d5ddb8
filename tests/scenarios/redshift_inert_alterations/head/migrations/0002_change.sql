ALTER TABLE raw.orders ALTER DISTKEY customer_id;
ALTER TABLE raw.orders ALTER SORTKEY (order_id);
ANALYZE raw.orders;
