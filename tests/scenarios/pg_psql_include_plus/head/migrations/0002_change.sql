SELECT 1;
\i drop.sql
SELECT 2;