CREATE TABLE shop.raw.log (order_id INTEGER);
