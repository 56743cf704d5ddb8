INSERT INTO shop.features.customer_features
SELECT * FROM shop.raw.feed;
