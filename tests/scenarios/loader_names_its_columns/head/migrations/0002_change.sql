ALTER TABLE shop.features.customer_features ADD COLUMN coupon TEXT;
