INSERT INTO shop.raw.orders VALUES (1, 7, 0.1, 3);
INSERT INTO shop.raw.orders_old VALUES (2, 7, 0.3, 1);
