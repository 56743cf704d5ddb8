ALTER TABLE shop.raw.orders ALTER COLUMN quantity TYPE INTEGER[] USING [quantity];
