ALTER TABLE shop.raw.orders ADD COLUMN coupon VARCHAR;
ALTER TABLE shop.raw.orders_old ADD COLUMN coupon VARCHAR;
