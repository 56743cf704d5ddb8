CREATE VIEW shop.a.v AS SELECT * FROM shop.raw.orders;
