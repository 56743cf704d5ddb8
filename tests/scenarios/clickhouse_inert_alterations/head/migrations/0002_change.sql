ALTER TABLE raw.orders MODIFY SETTING index_granularity = 4096;
ALTER TABLE raw.orders ADD INDEX by_quantity quantity TYPE minmax GRANULARITY 4;
