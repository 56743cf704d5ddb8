ALTER TABLE shop.raw.orders DROP discount_pct;
