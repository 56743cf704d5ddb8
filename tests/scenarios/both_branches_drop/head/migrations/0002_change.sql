DO $$
BEGIN
  IF current_user = 'ops' THEN
    ALTER TABLE raw.orders DROP COLUMN discount_pct;
  ELSE
    ALTER TABLE raw.orders DROP COLUMN discount_pct;
  END IF;
END $$;
