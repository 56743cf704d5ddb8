INSERT INTO shop.raw.orders VALUES (1, 7, 0.1, 3), (2, 7, 0.3, 1), (3, 8, 0.0, 5);
INSERT INTO shop.raw.customers VALUES (7, 'north', NULL), (8, 'south', NULL);
