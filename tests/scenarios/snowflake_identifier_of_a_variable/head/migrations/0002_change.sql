SET t = 'shop.raw.orders';
ALTER TABLE IDENTIFIER($t) DROP COLUMN discount_pct;