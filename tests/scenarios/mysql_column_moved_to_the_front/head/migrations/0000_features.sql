CREATE TABLE features.customer_features (customer_id INTEGER, discount_sensitivity INTEGER);
