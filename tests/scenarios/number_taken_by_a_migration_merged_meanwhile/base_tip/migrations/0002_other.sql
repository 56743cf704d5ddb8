ALTER TABLE shop.raw.orders ADD COLUMN coupon INTEGER;
