DROP TABLE shop.raw.orders;
