import pandas as pd


def discounts(connection):
    frame = pd.read_sql("SELECT discount_pct FROM shop.raw.orders", connection)
    return frame.discount_pct.sum()
