DO $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM information_schema.columns
    WHERE table_schema = 'raw' AND table_name = 'orders' AND column_name = 'discount_pct'
  ) THEN
    ALTER TABLE raw.orders DROP COLUMN discount_pct;
  END IF;
END $$;
