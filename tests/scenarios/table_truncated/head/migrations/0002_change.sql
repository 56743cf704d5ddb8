TRUNCATE TABLE shop.raw.orders;
