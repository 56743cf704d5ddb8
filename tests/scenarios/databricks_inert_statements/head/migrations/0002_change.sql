MSCK REPAIR TABLE shop.raw.orders;
REFRESH TABLE shop.raw.orders;
OPTIMIZE shop.raw.orders ZORDER BY (discount_pct);
VACUUM shop.raw.orders RETAIN 168 HOURS;
ANALYZE TABLE shop.raw.orders COMPUTE STATISTICS;