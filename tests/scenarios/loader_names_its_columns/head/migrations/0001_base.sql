CREATE TABLE shop.raw.feed (customer_id INTEGER, discount_sensitivity INTEGER);
