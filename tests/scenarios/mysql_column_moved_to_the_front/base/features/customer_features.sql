INSERT INTO features.customer_features
SELECT * FROM raw.feed;
