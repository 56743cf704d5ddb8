INSERT INTO shop.raw.orders VALUES (1, 7, 0.1, 0.5), (2, 7, 0.3, 0.5), (3, 8, 0.0, 0.5);
