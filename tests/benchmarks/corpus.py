"""Realistic SQL by the hundred, the same in every run: decision-support queries over a star schema, and chains of CTEs.

The shapes are those that warehouses are full of: fact tables joined with dimensions, windows, CASE ladders, unions of
channels, subqueries in filters. Names and numbers vary; a mean statement has about one kilobyte.
"""
# ruff: noqa: S608 - this SQL is parsed and never executed

from __future__ import annotations

from collections.abc import Callable
from random import Random

from app.words import Schema
from tests.benchmarks.models import make_model

_TABLES = """
sales: sale_id customer_id product_id store_id promo_id sold_on quantity unit_price discount_pct tax cost
web_sales: sale_id customer_id product_id site_id promo_id sold_on quantity unit_price discount_pct tax cost
returns: return_id sale_id customer_id product_id returned_on quantity amount reason
customers: customer_id email first_name last_name country region segment born_on created_at is_active loyalty_tier
products: product_id sku title category brand color size list_price launched_on
stores: store_id store_name city state manager opened_on floor_space
promotions: promo_id promo_name channel starts_on ends_on budget
days: day year quarter month week day_name is_holiday fiscal_year
"""
SCHEMA: Schema = {
    f"shop.raw.{name}": dict.fromkeys(columns.split(), "INT")
    for name, _, columns in (line.partition(": ") for line in _TABLES.strip().splitlines())
}
_FACTS = ("sales", "web_sales")
_MEASURES = ("unit_price", "discount_pct", "tax", "cost")
_CUSTOMER = ("country", "region", "segment", "loyalty_tier")
_PRODUCT = ("category", "brand", "color", "size")
_STATES = ("TN", "CA", "TX", "NY", "WA", "OH")


def make_statements(count: int = 300, *, seed: int = 1) -> tuple[str, ...]:
    """SQL that other parsers understand as well: Snowflake's dialect without its peculiarities."""
    rng = Random(seed)  # noqa: S311 - the same queries in every run, nothing secret
    return tuple(_SHAPES[n % len(_SHAPES)](rng) for n in range(count))


def _star_join(rng: Random) -> str:
    fact, group = rng.choice(_FACTS), rng.choice(_PRODUCT)
    sums = ",\n  ".join(f"SUM(f.{m} * f.quantity) AS total_{m}" for m in rng.sample(_MEASURES, 3))
    return f"""SELECT p.{group}, d.year, d.month, {sums},
  AVG(f.unit_price) AS average_price, COUNT(DISTINCT f.customer_id) AS buyers
FROM shop.raw.{fact} AS f
JOIN shop.raw.products AS p ON f.product_id = p.product_id
JOIN shop.raw.days AS d ON f.sold_on = d.day
JOIN shop.raw.promotions AS pr ON f.promo_id = pr.promo_id
JOIN shop.raw.customers AS c ON c.customer_id = f.customer_id
WHERE d.year BETWEEN {rng.randrange(1998, 2002)} AND {rng.randrange(2003, 2010)}
  AND (pr.channel = 'mail' OR pr.channel = 'event' OR pr.budget > {rng.randrange(1000)})
  AND c.{rng.choice(_CUSTOMER)} IN ('a', 'b', 'c')
  AND p.list_price BETWEEN {rng.randrange(50)} AND {rng.randrange(60, 200)}
  AND d.is_holiday = 0
GROUP BY p.{group}, d.year, d.month
HAVING SUM(f.quantity) > {rng.randrange(100)}
ORDER BY d.year, total_{_last_total(sums)} DESC, p.{group}
LIMIT 100"""


def _last_total(sums: str) -> str:
    return sums.rpartition("total_")[2]


def _year_over_year(rng: Random) -> str:
    year = rng.randrange(1999, 2009)
    columns = "c.customer_id, c.first_name, c.last_name, c.country"
    part = """  SELECT {columns}, d.year AS year_of_sale, '{kind}' AS kind,
    SUM((f.unit_price - f.cost - f.discount_pct) / 2 + f.tax) AS year_total
  FROM shop.raw.customers AS c, shop.raw.{fact} AS f, shop.raw.days AS d
  WHERE c.customer_id = f.customer_id AND f.sold_on = d.day
  GROUP BY {columns}, d.year"""
    totals = "\n  UNION ALL\n".join(
        part.format(columns=columns, kind=kind, fact=fact) for kind, fact in (("s", "sales"), ("w", "web_sales"))
    )
    return f"""WITH year_total AS (
{totals}
)
SELECT t_s_second.customer_id, t_s_second.first_name, t_s_second.{rng.choice(("last_name", "country"))}
FROM year_total AS t_s_first, year_total AS t_s_second, year_total AS t_w_first, year_total AS t_w_second
WHERE t_s_second.customer_id = t_s_first.customer_id
  AND t_s_first.customer_id = t_w_second.customer_id
  AND t_s_first.customer_id = t_w_first.customer_id
  AND t_s_first.kind = 's' AND t_w_first.kind = 'w'
  AND t_s_second.kind = 's' AND t_w_second.kind = 'w'
  AND t_s_first.year_of_sale = {year} AND t_s_second.year_of_sale = {year + 1}
  AND t_w_first.year_of_sale = {year} AND t_w_second.year_of_sale = {year + 1}
  AND t_s_first.year_total > 0 AND t_w_first.year_total > 0
  AND CASE WHEN t_w_first.year_total > 0 THEN t_w_second.year_total / t_w_first.year_total ELSE NULL END
    > CASE WHEN t_s_first.year_total > 0 THEN t_s_second.year_total / t_s_first.year_total ELSE NULL END
ORDER BY t_s_second.customer_id
LIMIT 100"""


def _returns_above_average(rng: Random) -> str:
    return f"""WITH customer_total_return AS (
  SELECT r.customer_id AS ctr_customer, s.store_id AS ctr_store, SUM(r.amount) AS ctr_total
  FROM shop.raw.returns AS r
  JOIN shop.raw.sales AS s ON s.sale_id = r.sale_id
  JOIN shop.raw.days AS d ON r.returned_on = d.day
  WHERE d.year = {rng.randrange(1998, 2010)}
  GROUP BY r.customer_id, s.store_id
)
SELECT c.email
FROM customer_total_return AS ctr1, shop.raw.stores AS st, shop.raw.customers AS c
WHERE ctr1.ctr_total > (
    SELECT AVG(ctr2.ctr_total) * 1.{rng.randrange(1, 9)}
    FROM customer_total_return AS ctr2
    WHERE ctr1.ctr_store = ctr2.ctr_store
  )
  AND st.store_id = ctr1.ctr_store
  AND st.state = '{rng.choice(_STATES)}'
  AND ctr1.ctr_customer = c.customer_id
ORDER BY c.email
LIMIT 100"""


def _case_ladder(rng: Random) -> str:
    arms = "\n".join(_arm(n, rng) for n in range(rng.randrange(2, 5)))
    return f"SELECT\n{arms}\n  pr.promo_name\nFROM shop.raw.promotions AS pr\nWHERE pr.promo_id = {rng.randrange(100)}"


def _arm(n: int, rng: Random) -> str:
    rows = f"FROM shop.raw.sales AS s WHERE s.quantity BETWEEN {n * 20 + 1} AND {n * 20 + 20}"
    return f"""  CASE WHEN (SELECT COUNT(*) {rows}) > {rng.randrange(10**6)}
    THEN (SELECT AVG(s.discount_pct) {rows})
    ELSE (SELECT AVG(s.tax) {rows}) END AS bucket_{n},"""


def _exists(rng: Random) -> str:
    return f"""SELECT c.{rng.choice(_CUSTOMER)} AS dimension, c.loyalty_tier, COUNT(*) AS people,
  MIN(c.born_on) AS oldest, MAX(c.born_on) AS youngest, AVG(c.born_on) AS middle
FROM shop.raw.customers AS c
WHERE c.is_active
  AND EXISTS (
    SELECT 1 FROM shop.raw.sales AS s JOIN shop.raw.days AS d ON s.sold_on = d.day
    WHERE c.customer_id = s.customer_id AND d.year = {rng.randrange(1998, 2010)} AND d.quarter < {rng.randrange(2, 5)}
  )
  AND NOT EXISTS (
    SELECT 1 FROM shop.raw.returns AS r JOIN shop.raw.days AS d ON r.returned_on = d.day
    WHERE c.customer_id = r.customer_id AND d.fiscal_year = {rng.randrange(1998, 2010)} AND r.reason <> 'none'
  )
  AND c.customer_id IN (SELECT w.customer_id FROM shop.raw.web_sales AS w WHERE w.quantity > {rng.randrange(40)})
GROUP BY 1, c.loyalty_tier
ORDER BY 1, 2"""


def _ranked(rng: Random) -> str:
    keys = ", ".join(f"p.{key}" for key in rng.sample(_PRODUCT, 3))
    outer = keys.replace("p.", "")
    return f"""SELECT {outer}, year, quarter, sum_sales, rk
FROM (
  SELECT {outer}, year, quarter, sum_sales,
    RANK() OVER (PARTITION BY {outer.split(", ")[0]} ORDER BY sum_sales DESC) AS rk
  FROM (
    SELECT {keys}, d.year, d.quarter, SUM(COALESCE(f.unit_price * f.quantity, 0)) AS sum_sales
    FROM shop.raw.{rng.choice(_FACTS)} AS f
    JOIN shop.raw.days AS d ON f.sold_on = d.day
    JOIN shop.raw.products AS p ON f.product_id = p.product_id
    WHERE d.month BETWEEN {rng.randrange(1, 6)} AND {rng.randrange(7, 13)}
    GROUP BY {keys}, d.year, d.quarter
  ) AS dw1
) AS dw2
WHERE rk <= {rng.randrange(10, 100)}
ORDER BY {outer}, year, quarter, sum_sales, rk
LIMIT 100"""


def _chain(rng: Random) -> str:
    return make_model(rng, rng.randrange(2, 400) * 3)


def _staging(rng: Random) -> str:
    """A dbt staging model: import, rename, hand on."""
    table = rng.choice(list(SCHEMA))
    renamed = ",\n    ".join(_renamed(column, rng) for column in SCHEMA[table])
    return f"""WITH source AS (
  SELECT * FROM {table}
),
renamed AS (
  SELECT
    {renamed},
    CURRENT_TIMESTAMP AS loaded_at
  FROM source
)
SELECT * FROM renamed"""


def _renamed(column: str, rng: Random) -> str:
    form = rng.choice(
        ("{0}", "{0} AS {0}_raw", "COALESCE({0}, 0) AS {0}", "TRIM({0}) AS {0}", "CAST({0} AS INT) AS {0}_int")
    )
    return form.format(column)


def _mart(rng: Random) -> str:
    """A dbt mart: imports with a star, one aggregate, a wide join of them."""
    fact = rng.choice(_FACTS)
    own = ",\n  ".join(f"customers.{column}" for column in list(SCHEMA["shop.raw.customers"])[:9])
    bands = ",\n  ".join(
        f"CASE WHEN totals.orders >= {rng.randrange(2, 60)} THEN totals.total_{m} ELSE 0 END AS loyal_{m}"
        for m in _MEASURES
    )
    sums = ",\n    ".join(f"SUM(s.{m}) AS total_{m}" for m in _MEASURES)
    return f"""WITH customers AS (
  SELECT * FROM shop.raw.customers
),
sold AS (
  SELECT * FROM shop.raw.{fact} WHERE quantity > {rng.randrange(9)}
),
products AS (
  SELECT * FROM shop.raw.products
),
totals AS (
  SELECT
    s.customer_id,
    COUNT(DISTINCT s.sale_id) AS orders,
    MIN(s.sold_on) AS first_sold_on,
    MAX(s.sold_on) AS last_sold_on,
    COUNT(DISTINCT p.{rng.choice(_PRODUCT)}) AS kinds,
    {sums}
  FROM sold AS s
  LEFT JOIN products AS p ON p.product_id = s.product_id
  GROUP BY s.customer_id
)
SELECT
  {own},
  totals.orders,
  totals.kinds,
  totals.last_sold_on - totals.first_sold_on AS days_active,
  {bands}
FROM customers
LEFT JOIN totals ON totals.customer_id = customers.customer_id"""


_SHAPES: tuple[Callable[[Random], str], ...] = (
    _star_join,
    _year_over_year,
    _chain,
    _returns_above_average,
    _case_ladder,
    _exists,
    _ranked,
    _staging,
    _mart,
    _staging,
)
