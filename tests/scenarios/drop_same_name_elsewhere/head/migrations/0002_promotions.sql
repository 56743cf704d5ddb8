CREATE TABLE shop.raw.promotions (promo_id INTEGER, discount_pct DECIMAL(5,4));
