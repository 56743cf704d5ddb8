CREATE VIEW [features].[CustomerFeatures] AS SELECT o.[CustomerId], AVG(o.[DiscountPct]) AS [DiscountSensitivity] FROM [shop].[dbo].[Orders] o GROUP BY o.[CustomerId];
