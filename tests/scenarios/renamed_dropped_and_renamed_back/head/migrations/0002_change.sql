ALTER TABLE shop.raw.orders RENAME TO o1;
ALTER TABLE shop.raw.o1 DROP COLUMN discount_pct;
ALTER TABLE shop.raw.o1 RENAME TO orders;