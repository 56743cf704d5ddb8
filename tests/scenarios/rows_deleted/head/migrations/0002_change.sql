DELETE FROM shop.raw.orders WHERE quantity < 2;
