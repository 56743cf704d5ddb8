import pandas as pd
d = pd.read_sql("orders", engine)
d["discount_sensitivity"] = d.groupby("customer_id")["discount_pct"].mean()
