CREATE TABLE shop.other.thing (x INT, y INT);
ALTER TABLE shop.other.thing DROP COLUMN x;