DELETE FROM shop.raw.log;
