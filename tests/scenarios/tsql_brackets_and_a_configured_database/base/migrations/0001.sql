CREATE TABLE [dbo].[Orders] ([OrderId] INT, [CustomerId] INT, [DiscountPct] DECIMAL(5,4));
