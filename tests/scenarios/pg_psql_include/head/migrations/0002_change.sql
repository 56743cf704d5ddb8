\i drop_discount.sql
