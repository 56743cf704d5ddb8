import pandas as pd

COLUMNS = ["discount_sensitivity"]


def load(conn, model):
    """Scores every customer."""
    frame = pd.read_sql(
        "SELECT customer_id, discount_sensitivity "
        "FROM shop.features.customer_features "
        "WHERE customer_id > %s",
        conn,
        params=(0,),
    )
    return model.predict(frame[COLUMNS])
