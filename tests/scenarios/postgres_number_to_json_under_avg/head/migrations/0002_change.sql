ALTER TABLE shop.raw.orders ALTER COLUMN discount_pct TYPE jsonb USING to_jsonb(discount_pct);
