ALTER TABLE shop.raw.orders ADD region varchar(20);
