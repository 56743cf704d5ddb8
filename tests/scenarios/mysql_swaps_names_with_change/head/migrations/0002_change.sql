ALTER TABLE raw.orders
  CHANGE discount_pct list_pct DECIMAL(5,4),
  CHANGE list_pct discount_pct DECIMAL(5,4);
