START drop_discount.sql
