"""Calls in Python that say which table takes the rows of a query."""

from __future__ import annotations

import pytest

from app.render import CodeFill, find_fills

TABLE = "shop.analytics.orders"


@pytest.mark.parametrize(
    "call",
    [
        'Operator(sql="sql/orders.sql", destination_dataset_table="shop.analytics.orders")',
        'Operator(sql="sql/orders.sql", destination_dataset_table="shop:analytics.orders$20261201")',
        'Operator(bql="sql/orders.sql", destination_dataset_table="shop.analytics.orders")',
        'TABLE = "shop.analytics.orders"\nOperator(sql="sql/orders.sql", destination_dataset_table=TABLE)',
        (
            'Operator(configuration={"query": {"query": "{% include \'sql/orders.sql\' %}", "destinationTable": '
            '{"projectId": "shop", "datasetId": "analytics", "tableId": "orders"}}})'
        ),
    ],
)
def test_an_operator_runs_a_file_into_a_table(call: str) -> None:
    assert find_fills(call) == (CodeFill(TABLE, path="sql/orders.sql"),)


@pytest.mark.parametrize(
    "config",
    [
        'QueryJobConfig(destination="shop.analytics.orders")',
        'QueryJobConfig(destination=TableReference.from_string("shop.analytics.orders"))',
        'config\nconfig = QueryJobConfig(destination="shop.analytics.orders")',
    ],
)
def test_a_client_runs_a_text_into_a_table(config: str) -> None:
    given, _, before = config.partition("\n")
    text = f'{before}\nSQL = """\nselect a\nfrom b\n"""\nclient.query(SQL, job_config={given})\n'

    assert find_fills(text) == (CodeFill(TABLE, (2, 5)),)


@pytest.mark.parametrize(
    "text",
    [
        'client.query("select a from b", job_config=QueryJobConfig(destination=find_table()))',
        'client.query("select a from b", job_config=QueryJobConfig(dry_run=True))',
        'Operator(sql="sql/orders.sql", destination_dataset_table="{{ params.table }}")',
        'Operator(sql=find_sql(), destination_dataset_table="shop.analytics.orders")',
        'if x:\n    T = "a.b.c"\nelse:\n    T = "a.b.d"\nOperator(sql="o.sql", destination_table=T)',
        'copy(source="a", destination="shop.analytics.orders")',
        "destination = (",
    ],
)
def test_what_is_computed_is_not_told(text: str) -> None:
    assert find_fills(text) == ()
