CREATE VIEW shop.analytics.v AS SELECT * FROM shop.raw.orders;
