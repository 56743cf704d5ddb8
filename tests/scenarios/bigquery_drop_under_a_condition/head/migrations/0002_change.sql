IF TRUE THEN
  ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;
END IF;