"""The seasonal index of orders: how busy a week is against the average week."""

import pandas as pd


def seasonality_index(orders: pd.DataFrame) -> pd.Series:
    weekly = orders.set_index("created_at").resample("W")["order_id"].count()
    return weekly / weekly.mean()
