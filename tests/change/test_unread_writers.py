"""Changed files that write tables in a language that nobody reads."""

from __future__ import annotations

import json

import pytest

from app.change import find_unread_writers
from app.words import Config

JOB = 'df = spark.table("a.b").select("x", "y")\n'


def find(path: str, base: str | None, head: str | None, built: dict[str, str] | None = None) -> list[str]:
    texts = tuple({path: text} if text is not None else {} for text in (base, head))
    found = find_unread_writers((texts[0], texts[1]), frozenset({path}), built or {}, Config())
    return [f"{one.name}:{one.line}:{one.side}" for one in found]


@pytest.mark.parametrize(
    ("write", "name"),
    [
        ('df.write.mode("overwrite").saveAsTable("shop.silver.orders")', "shop.silver.orders"),
        ('df.write.insertInto("silver.orders")', "silver.orders"),
        ('df.writeTo("silver.orders").overwritePartitions()', "silver.orders"),
        ('TABLE = "silver.orders"; df.write.saveAsTable(name=TABLE)', "silver.orders"),
        ('df.write.saveAsTable(f"{catalog}.silver.orders")', "orders"),
        ('frame.to_sql("orders", engine, if_exists="replace")', "orders"),
        ('write_pandas(connection, frame, "ORDERS")', "ORDERS"),
    ],
)
def test_a_writer_call_names_its_table(write: str, name: str) -> None:
    base, head = JOB + write + "\n", JOB.replace(', "y"', "") + write + "\n"

    assert find("jobs/orders.py", base, head) == [f"{name}:2:head"]
    assert find("jobs/orders.py", base, f'"""Words."""\n{base}# more\n') == []
    assert find("jobs/orders.py", base, None) == [f"{name}:2:base"]
    assert find("tests/test_orders.py", base, head) == []


def test_a_decorator_makes_the_table_of_its_function() -> None:
    text = '@dlt.table\ndef orders():\n    return dlt.read("raw").select("x", "y")\n'

    assert find("dlt/orders.py", text, text.replace(', "y"', "")) == ["orders:2:head"]


def test_a_notebook_counts_by_its_code() -> None:
    def notebook(*sources: str, kind: str = "code") -> str:
        return json.dumps({"cells": [{"cell_type": kind, "source": source} for source in sources]})

    write = 'df.write.saveAsTable("silver.orders")'
    base = notebook(f"%pip install x\n{JOB}", write)

    assert find("n.ipynb", base, notebook(JOB.replace(', "y"', ""), write)) == ["silver.orders:1:head"]
    assert find("n.ipynb", base, notebook(JOB, write)) == []
    assert find("n.ipynb", "{", "[") == []


def test_a_model_of_a_tool_is_the_table_that_the_tool_builds() -> None:
    text = 'def model(dbt, session):\n    return dbt.ref("a").select("x", "y")\n'

    assert find("models/orders.py", text, text.replace(', "y"', ""), {"models/orders.py": "shop.a.orders"}) == [
        "shop.a.orders:1:head"
    ]
    assert find("models/orders.py", text, text.replace(', "y"', "")) == []


def test_dataform_counts_by_its_configuration() -> None:
    text = 'config { type: "table", schema: "silver" }\nselect x, y from ${ref("a")}\n'
    head = text.replace(", y", "")

    assert find("definitions/orders.sqlx", text, head) == ["silver.orders:1:head"]
    assert find("definitions/orders.sqlx", text, text.replace("select x, y", "-- all\nselect x,\n  y")) == []
    assert (
        find(
            "definitions/orders.sqlx",
            text.replace('"table"', '"declaration"'),
            head.replace('"table"', '"declaration"'),
        )
        == []
    )


def test_terraform_counts_by_the_resource_that_is_changed() -> None:
    table = (
        'resource "google_bigquery_table" "{0}" {{\n  dataset_id = "silver"\n  table_id = "{0}"\n  schema = "{1}"\n}}\n'
    )
    base = table.format("orders", "x") + table.format("visits", "x")

    assert find("main.tf", base, table.format("orders", "x") + table.format("visits", "y")) == ["silver.visits:6:head"]
    assert find("main.tf", base, base + 'resource "google_bigquery_job" "j" {\n  job_id = "a"\n}\n') == []
