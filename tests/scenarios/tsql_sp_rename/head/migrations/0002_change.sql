EXEC sp_rename 'raw.orders.discount_pct', 'discount_rate', 'COLUMN';
GO
