CREATE OR REPLACE PROCEDURE raw.refill() AS $$
  UPDATE raw.orders SET discount_pct = 0.1 WHERE quantity > 10;
$$ LANGUAGE sql;
