ALTER TABLE [dbo].[Orders] DROP COLUMN [DiscountPct];
