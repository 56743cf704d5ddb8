ALTER TABLE raw.orders MODIFY discount_pct DECIMAL(5,4);
