"""Wide dbt models, the same in every run: what most of a warehouse looks like, where the decision-support queries do not.

Staging models that import a source with a star, rename and cast forty to ninety columns and hand them on through two more
stars; marts that join three such imports, window the result and pick from it.
"""
# ruff: noqa: S608 - this SQL is parsed and never executed

from __future__ import annotations

from random import Random

from app.words import Schema

_GROUPS = (
    ["order", "billing", "shipping", "customer", "discount", "tax", "payment", "refund", "line", "channel", "campaign"],
    ["id", "name", "amount", "status", "code", "created_at", "city", "country"],
)
COLUMNS = tuple(f"{group}_{what}" for group in _GROUPS[0] for what in _GROUPS[1])
SCHEMA: Schema = {
    f"shop.raw.{table}": dict.fromkeys(COLUMNS, "VARCHAR") for table in ("orders", "customers", "payments", "sessions")
}
_FORMS = ("{0}", "{0} AS {0}_raw", "CAST({0} AS INT) AS {0}", "COALESCE({0}, '') AS {0}", "LOWER(TRIM({0})) AS {0}")


def make_wide_models(count: int = 60, *, seed: int = 1) -> tuple[str, ...]:
    """Two staging models for every mart."""
    rng = Random(seed)  # noqa: S311 - the same models in every run, nothing secret
    return tuple(_mart(rng) if n % 3 == 2 else _staging(rng) for n in range(count))


def _staging(rng: Random) -> str:
    picked = rng.sample(COLUMNS, rng.randrange(40, len(COLUMNS)))
    fields = ",\n    ".join(rng.choice(_FORMS).format(column) for column in picked)
    return f"""WITH base AS (
  SELECT * FROM {rng.choice(list(SCHEMA))}
),
fields AS (
  SELECT
    {fields}
  FROM base
),
final AS (
  SELECT * FROM fields
)
SELECT * FROM final"""


def _mart(rng: Random) -> str:
    own, theirs, summed = (rng.sample(COLUMNS, n) for n in (14, 10, 6))
    listed = ",\n    ".join(
        [
            *(f"o.{column}" for column in own),
            *(f"c.{column} AS c_{column}" for column in theirs),
            *(f"p.{column} AS p_{column}" for column in summed),
        ]
    )
    totals = ",\n    ".join(f"SUM({column}) AS {column}" for column in summed)
    return f"""WITH orders AS (
  SELECT * FROM shop.raw.orders
),
customers AS (
  SELECT * FROM shop.raw.customers
),
payments AS (
  SELECT
    payment_code,
    {totals}
  FROM shop.raw.payments
  GROUP BY payment_code
),
joined AS (
  SELECT
    {listed}
  FROM orders AS o
  LEFT JOIN customers AS c ON c.customer_id = o.customer_id
  LEFT JOIN payments AS p ON p.payment_code = o.payment_code
  WHERE o.order_status <> 'cancelled'
),
windowed AS (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY {own[0]} ORDER BY {own[1]} DESC) AS row_number
  FROM joined
)
SELECT * FROM windowed WHERE row_number = 1"""
