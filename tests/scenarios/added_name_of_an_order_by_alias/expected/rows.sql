INSERT INTO shop.raw.orders VALUES (1, 7, 0.1, 3), (2, 8, 0.3, 1);
