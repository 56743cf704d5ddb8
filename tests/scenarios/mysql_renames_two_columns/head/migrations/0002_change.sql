ALTER TABLE raw.orders
  RENAME COLUMN order_id TO id,
  RENAME COLUMN quantity TO amount;
