from feast import *
src = BigQuerySource(name="s", query="""
SELECT customer_id, ts FROM shop.raw.orders
""")
fv = FeatureView(name="customer_features", entities=[c], schema=[], source=src)
