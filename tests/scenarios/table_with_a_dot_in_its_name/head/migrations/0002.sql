ALTER TABLE shop.raw."my.orders" DROP COLUMN discount_pct;
