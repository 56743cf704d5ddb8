ALTER TABLE shop.raw.feed ADD COLUMN coupon TEXT;
ALTER TABLE shop.features.customer_features ADD COLUMN coupon TEXT;
