-- see the section called
-- +goose Down
-- of the manual
ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;