ALTER TABLE raw.orders SET UNUSED (discount_pct);
