import os

SCHEMA = os.environ["SCHEMA"]


def customer_features(session):
    return session.sql(f"""
        SELECT customer_id, AVG(discount_pct) AS discount_sensitivity
        FROM {SCHEMA}.orders
        GROUP BY customer_id
    """)
