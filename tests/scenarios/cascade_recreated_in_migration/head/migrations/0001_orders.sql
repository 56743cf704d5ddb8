CREATE TABLE shop.raw.orders (
    order_id INTEGER,
    customer_id INTEGER,
    discount_pct DECIMAL(5,4),
    quantity INTEGER
);
CREATE VIEW shop.features.customer_features AS SELECT customer_id, quantity AS discount_sensitivity FROM shop.raw.orders WHERE discount_pct > 0;