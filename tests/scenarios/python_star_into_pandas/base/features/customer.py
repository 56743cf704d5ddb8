import pandas as pd


def discount_sensitivity(conn):
    orders = pd.read_sql("SELECT * FROM shop.raw.orders", conn)
    return orders.groupby("customer_id")["discount_pct"].mean()
