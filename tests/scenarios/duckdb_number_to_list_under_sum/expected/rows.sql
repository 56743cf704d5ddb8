INSERT INTO shop.raw.orders VALUES (1, 7, 0.1, 3), (2, 7, 0.3, 1), (3, 8, 0.0, 5);
