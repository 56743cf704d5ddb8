CREATE TABLE shop.raw.events (
    event_id   NUMBER NOT NULL,
    user_id    NUMBER NOT NULL,
    kind       VARCHAR NOT NULL,
    page_views NUMBER NOT NULL,
    ts         TIMESTAMP_NTZ NOT NULL
);
