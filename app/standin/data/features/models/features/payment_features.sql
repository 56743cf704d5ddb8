CREATE OR REPLACE TABLE shop.features.payment_features AS
SELECT
    customer_id,
    COUNT_IF(status = 'failed') AS failed_payments_30d
FROM shop.raw.payments
WHERE paid_at >= DATEADD(day, -30, CURRENT_TIMESTAMP())
GROUP BY customer_id;
