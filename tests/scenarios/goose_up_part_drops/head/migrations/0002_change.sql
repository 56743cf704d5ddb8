-- +goose Up
-- +goose StatementBegin
ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE shop.raw.orders ADD COLUMN discount_pct DECIMAL(5,4);