ALTER TABLE shop.raw.orders DROP COLUMN created_at;
