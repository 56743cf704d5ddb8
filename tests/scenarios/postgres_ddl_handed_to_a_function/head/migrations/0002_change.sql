SELECT admin.run_ddl('ALTER TABLE shop.raw.orders DROP COLUMN discount_pct');
