ALTER TABLE shop.raw.orders DROP COLUMNS (quantity, discount_pct);
