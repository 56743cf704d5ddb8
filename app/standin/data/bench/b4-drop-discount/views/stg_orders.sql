CREATE OR REPLACE VIEW shop.analytics.stg_orders AS
SELECT
    order_id,
    customer_id,
    quantity,
    amount_cents / 100 AS amount
FROM shop.raw.orders;
