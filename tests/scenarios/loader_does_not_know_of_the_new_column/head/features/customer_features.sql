INSERT INTO shop.features.customer_features
SELECT customer_id, discount_sensitivity FROM shop.raw.feed;
