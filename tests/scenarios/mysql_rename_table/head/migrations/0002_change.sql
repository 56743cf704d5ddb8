RENAME TABLE raw.orders TO raw.orders_archive;
