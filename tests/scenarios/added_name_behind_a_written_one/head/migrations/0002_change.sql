ALTER TABLE shop.raw.orders ADD COLUMN discount_sensitivity INTEGER;
