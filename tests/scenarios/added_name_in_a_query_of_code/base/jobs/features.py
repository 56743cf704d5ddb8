import pandas as pd

QUERY = """
SELECT o.customer_id, avg(discount_pct) AS discount_sensitivity
FROM shop.raw.orders o
JOIN shop.raw.customers c ON o.customer_id = c.customer_id
WHERE region <> 'x'
GROUP BY o.customer_id
"""


def load(connection):
    return pd.read_sql(QUERY, connection)
