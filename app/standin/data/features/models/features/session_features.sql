CREATE OR REPLACE TABLE shop.features.session_features AS
SELECT
    user_id AS customer_id,
    AVG(page_views) AS session_depth_7d
FROM shop.analytics.v_sessions
WHERE kind = 'page' AND ts >= DATEADD(day, -7, CURRENT_TIMESTAMP())
GROUP BY user_id;
