ALTER TABLE raw.orders MODIFY (discount_pct INVISIBLE);
