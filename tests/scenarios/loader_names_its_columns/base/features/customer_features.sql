INSERT INTO shop.features.customer_features (customer_id, discount_sensitivity)
SELECT customer_id, discount_sensitivity FROM shop.raw.feed;
