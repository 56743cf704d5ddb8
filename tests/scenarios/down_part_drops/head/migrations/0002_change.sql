-- +goose Up
ALTER TABLE raw.orders ADD COLUMN rate integer;
-- +goose Down
ALTER TABLE raw.orders DROP COLUMN discount_pct;
