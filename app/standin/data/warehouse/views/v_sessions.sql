CREATE OR REPLACE VIEW shop.analytics.v_sessions AS
SELECT
    event_id,
    user_id,
    kind,
    page_views,
    ts
FROM shop.raw.events;
