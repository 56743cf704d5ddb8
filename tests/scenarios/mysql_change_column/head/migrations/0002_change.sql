ALTER TABLE raw.orders CHANGE discount_pct discount_rate DECIMAL(5,4);
