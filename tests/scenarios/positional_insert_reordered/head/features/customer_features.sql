CREATE OR REPLACE TABLE shop.features.customer_features (customer_id INTEGER, discount_sensitivity DECIMAL(5,4), refund_pct DECIMAL(5,4));
INSERT INTO shop.features.customer_features
SELECT * FROM shop.analytics.v_orders;
