spark.sql("""INSERT OVERWRITE TABLE shop.features.customer_features
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity
FROM shop.raw.orders GROUP BY customer_id""")
