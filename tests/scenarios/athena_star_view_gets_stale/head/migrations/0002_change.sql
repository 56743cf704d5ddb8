ALTER TABLE shop.raw.orders ADD COLUMNS (coupon string);
