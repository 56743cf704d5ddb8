"""The columns that the configuration of a snapshot or an incremental model names are read, though its query is a star."""

from __future__ import annotations

import pytest

from app.change import ParseItem, parse_file
from app.render import render_tree
from app.words import Config, DbtConfig, Schema

CONFIG = Config(dialect="snowflake", dbt=DbtConfig(database="db", schema="core"))
SNAPSHOT = """{% snapshot s %}
{{ config(unique_key='ID', strategy='check',
     check_cols=['a', 'b']) }}
select * from {{ ref('o') }}
{% endsnapshot %}"""
WRITTEN = "snapshots:\n  - name: s\n    relation: ref('o')\n    config:\n      unique_key: id\n      updated_at: ts\n"


def incremental(select: str, key: str) -> str:
    config = f"{{{{ config(materialized='incremental', unique_key={key}) }}}}\n"
    return "".join((config, "select ", select, " from {{ ref('o') }}"))


@pytest.mark.parametrize(
    ("path", "text", "schema", "expected"),
    [
        ("snapshots/s.sql", SNAPSHOT, {}, {("id", True, 2), ("a", True, 3), ("b", True, 3)}),
        (
            "snapshots/s.sql",
            SNAPSHOT,
            {"db.core.o": {"id": "", "a": ""}},
            {("id", True, 2), ("a", True, 3), ("b", True, 3)},
        ),
        ("snapshots/s.yml", WRITTEN, {}, {("id", True, 3), ("ts", True, 3)}),
        ("models/s.sql", incremental("*", "'id'"), {}, {("id", True, 1)}),
        ("models/s.sql", incremental("*, 1 as day", "['id', 'day']"), {}, {("id", True, 1)}),
        ("models/s.sql", incremental("md5(a) as id", "'id'"), {}, set()),
        ("models/s.sql", incremental("*", "'a || b'"), {}, set()),
        ("models/s.sql", incremental("*", "'id'").replace("'incremental'", "'table'"), {}, set()),
    ],
)
def test_keys_are_read(path: str, text: str, schema: Schema, expected: set[tuple[str, bool, int]]) -> None:
    files = {"dbt_project.yml": "name: shop\n", path: text}
    rendered = next(text for text in render_tree(files, CONFIG) if text.path == path)

    file = parse_file(ParseItem(rendered, "definition", "snowflake", schema=schema))

    reads = [read for statement in file.statements for read in statement.reads if read.clause == "merge"]
    assert {(read.column, read.certain, read.line) for read in reads} == expected
    assert {read.relation for read in reads} <= {"db.core.o"}


def test_a_key_may_be_of_either_side_of_a_join() -> None:
    text = incremental("o.*, u.*", "'id'") + " as o join {{ ref('u') }} as u on o.k = u.k"
    (rendered,) = render_tree({"dbt_project.yml": "name: shop\n", "models/s.sql": text}, CONFIG)

    file = parse_file(ParseItem(rendered, "definition", "snowflake"))

    reads = [read for read in file.statements[0].reads if read.clause == "merge"]
    assert {(read.relation, read.column, read.certain) for read in reads} == {
        ("db.core.o", "id", False),
        ("db.core.u", "id", False),
    }
