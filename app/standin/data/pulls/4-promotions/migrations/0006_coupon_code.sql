-- orders.discount_pct stays as it is: this is the promotion's own column of the same name.
ALTER TABLE shop.raw.promotions ADD COLUMN coupon_code VARCHAR;
ALTER TABLE shop.raw.promotions DROP COLUMN discount_pct;
