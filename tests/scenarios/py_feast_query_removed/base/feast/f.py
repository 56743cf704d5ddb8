from feast import *
src = BigQuerySource(name="s", query="""
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity, ts FROM shop.raw.orders GROUP BY 1, 3
""")
fv = FeatureView(name="customer_features", entities=[c], schema=[Field(name="discount_sensitivity", dtype=Float32)], source=src)
