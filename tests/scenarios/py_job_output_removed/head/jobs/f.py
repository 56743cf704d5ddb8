spark.sql("""INSERT OVERWRITE TABLE shop.features.customer_features
SELECT customer_id, NULL
FROM shop.raw.orders GROUP BY customer_id""")
