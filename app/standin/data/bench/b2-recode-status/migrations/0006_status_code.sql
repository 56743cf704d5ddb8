ALTER TABLE shop.raw.payments ADD COLUMN status_code NUMBER;
UPDATE shop.raw.payments SET status_code = CASE status WHEN 'paid' THEN 1 WHEN 'failed' THEN 2 ELSE 0 END;
ALTER TABLE shop.raw.payments DROP COLUMN status;
