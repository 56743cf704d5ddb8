CREATE TABLE raw.feed (customer_id INTEGER, discount_sensitivity INTEGER);
