ALTER TABLE raw.feed MODIFY discount_sensitivity INTEGER FIRST;
