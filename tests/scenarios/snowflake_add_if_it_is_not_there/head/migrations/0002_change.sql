EXECUTE IMMEDIATE $$
BEGIN
  IF (NOT EXISTS (SELECT 1 FROM shop.information_schema.columns WHERE column_name = 'REGION')) THEN
    ALTER TABLE shop.raw.orders ADD COLUMN region TEXT;
  END IF;
END;
$$;
