ALTER TABLE raw.orders DROP
