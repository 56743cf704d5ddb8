ALTER TABLE shop.raw.orders SET TBLPROPERTIES ('delta.appendOnly' = 'false');
COMMENT ON TABLE shop.raw.orders IS 'orders';
