c = "discount_pct"
df = spark.sql(f"SELECT customer_id, AVG({c}) AS discount_sensitivity FROM shop.raw.orders GROUP BY 1")
