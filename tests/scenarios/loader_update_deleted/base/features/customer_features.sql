INSERT INTO shop.features.customer_features (customer_id) SELECT customer_id FROM shop.raw.orders;
UPDATE shop.features.customer_features SET discount_sensitivity = 1;