BEGIN;
SET lock_timeout = '2s';
ALTER TABLE raw.orders DROP COLUMN discount_pct;
COMMIT;
