MODEL (
  name features.customer_features,
  kind INCREMENTAL_BY_TIME_RANGE (time_column created_at)
);
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity, COUNT(*) AS order_count, @end_ds AS created_at FROM shop.analytics.stg_orders WHERE created_at BETWEEN @start_ds AND @end_ds GROUP BY customer_id
