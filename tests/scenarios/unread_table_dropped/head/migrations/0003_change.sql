DROP TABLE shop.raw.log;
