import pandas as pd


def test_discounts(connection):
    frame = pd.read_sql("SELECT discount_pct FROM shop.raw.orders", connection)
    assert frame.discount_pct.sum() > 0
