"""A repository of models, the same in every run: imports, a daily step, window steps, a final select; 1-3 KB each."""
# ruff: noqa: S608 - this SQL is parsed and never executed

from __future__ import annotations

from collections.abc import Iterator
from random import Random

_TABLES = ("sales", "web_sales", "customers", "products")
_DIMENSIONS = ("country", "region", "segment", "loyalty_tier")
_EXTRA = ("sale_id", "promo_id", "unit_price", "discount_pct", "tax", "cost")


def make_plain_repository(count: int = 4000, *, seed: int = 1) -> dict[str, str]:
    """One CREATE TABLE AS a file; every third reads a model that stands before it."""
    return {_path(n): text for n, text in enumerate(_models(count, seed))}


def make_dbt_repository(count: int = 4000, *, seed: int = 1) -> dict[str, str]:
    """The same models as dbt has them, with sources, refs and configuration."""
    files = {_path(n): _templated(text) for n, text in enumerate(_models(count, seed))}
    tables = "".join(f"      - name: {name}\n" for name in _TABLES)
    source = "  - name: raw\n    database: shop\n    schema: raw\n    tables:\n"
    files["models/sources.yml"] = f"version: 2\nsources:\n{source}{tables}"
    files["dbt_project.yml"] = "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\n"
    return files


def _path(n: int) -> str:
    return f"models/{n % 40:02}/m{n:04}.sql"


def _models(count: int, seed: int) -> Iterator[str]:
    rng = Random(seed)  # noqa: S311 - the same models in every run, nothing secret
    for n in range(count):
        yield f"CREATE TABLE shop.marts.m{n:04} AS\n{make_model(rng, n)}\n"


def make_model(rng: Random, n: int) -> str:
    """The query of model number `n`."""
    fact, dimension, chained = rng.choice(_TABLES[:2]), rng.choice(_DIMENSIONS), n % 3 == 2
    ctes = {"sales": _sales(rng, fact), "customers": _customers(dimension), "daily": _daily(rng)}
    if chained:
        ctes["earlier"] = f"SELECT customer_id, revenue, orders\n  FROM shop.marts.m{rng.randrange(n):04}"
    last = "daily"
    for step in range(rng.randrange(1, 4)):
        ctes[f"step_{step}"] = _window_step(rng, last, step)
        last = f"step_{step}"
    written = ",\n".join(f"{name} AS (\n  {body}\n)" for name, body in ctes.items())
    return f"WITH {written}\n{_final(rng, last, dimension, chained=chained)}"


def _sales(rng: Random, fact: str) -> str:
    columns = ["customer_id", "product_id", "sold_on", "quantity", *sorted(rng.sample(_EXTRA, 3))]
    listed = ",\n    ".join(columns)
    return f"SELECT\n    {listed}\n  FROM shop.raw.{fact}\n  WHERE sold_on >= '2020-01-01'"


def _customers(dimension: str) -> str:
    columns = f"customer_id,\n    lower(email) AS email,\n    {dimension},\n    created_at"
    return f"SELECT\n    {columns}\n  FROM shop.raw.customers\n  WHERE is_active"


def _daily(rng: Random) -> str:
    low, high = rng.randrange(1, 5), rng.randrange(10, 90)
    return f"""SELECT
    s.customer_id,
    s.sold_on,
    COUNT(*) AS orders,
    SUM(s.quantity) AS revenue,
    SUM(CASE WHEN s.quantity > {low} THEN s.quantity ELSE 0 END) AS bulk,
    COALESCE(MAX(NULLIF(s.quantity, {high})), 0) AS top_quantity
  FROM sales AS s
  LEFT JOIN shop.raw.products AS p ON p.product_id = s.product_id
  WHERE p.{rng.choice(("category", "brand", "color"))} IS NOT NULL
  GROUP BY s.customer_id, s.sold_on"""


def _window_step(rng: Random, source: str, step: int) -> str:
    days = rng.choice((7, 14, 28, 90))
    window = f"PARTITION BY customer_id ORDER BY sold_on ROWS BETWEEN {days} PRECEDING AND CURRENT ROW"
    return f"""SELECT
    customer_id,
    sold_on,
    orders,
    revenue,
    bulk,
    top_quantity,
    SUM(revenue) OVER ({window}) AS revenue_{step}_{days},
    ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY sold_on DESC) AS row_{step}
  FROM {source}
  WHERE revenue > {rng.randrange(100)}"""


def _final(rng: Random, source: str, dimension: str, *, chained: bool) -> str:
    joined = "\nLEFT JOIN earlier AS e ON e.customer_id = d.customer_id" if chained else ""
    more = ",\n  e.revenue AS earlier_revenue" if chained else ""
    return f"""SELECT
  c.customer_id,
  c.email,
  c.{dimension} AS dimension,
  d.orders,
  d.revenue,
  d.bulk / NULLIF(d.orders, 0) AS bulk_share,
  CASE
    WHEN d.revenue > {rng.randrange(500, 900)} THEN 'high'
    WHEN d.revenue > {rng.randrange(100, 400)} THEN 'middle'
    ELSE 'low'
  END AS band{more}
FROM {source} AS d
JOIN customers AS c ON c.customer_id = d.customer_id{joined}"""


def _templated(text: str) -> str:
    """`shop.raw.sales` -> a source, `shop.marts.m0001` -> a ref; CREATE TABLE -> a configuration."""
    words = text.partition("AS\n")[2].split(" ")
    for position, word in enumerate(words):
        name, newline, rest = word.partition("\n")
        last = name.rpartition(".")[2]
        if name.startswith("shop.raw."):
            words[position] = f"{{{{ source('raw', '{last}') }}}}{newline}{rest}"
        elif name.startswith("shop.marts."):
            words[position] = f"{{{{ ref('{last}') }}}}{newline}{rest}"
    return "{{ config(materialized='table') }}\n\n" + " ".join(words)
