ALTER TABLE `shop.raw.Orders` DROP COLUMN discount_pct;
