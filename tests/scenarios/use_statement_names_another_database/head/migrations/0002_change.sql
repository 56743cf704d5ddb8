USE DATABASE archive;
USE SCHEMA raw;
ALTER TABLE orders DROP COLUMN discount_pct;