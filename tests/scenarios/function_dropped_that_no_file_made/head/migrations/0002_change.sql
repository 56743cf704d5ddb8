DROP FUNCTION shop.raw.pct(NUMBER);
