"""What the measurements read: the same in every run, of the size that they claim, and readable from end to end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from app.reads import find_reads
from app.render import render_tree
from app.words import Config
from tests.benchmarks import wide
from tests.benchmarks.corpus import SCHEMA, make_statements
from tests.benchmarks.models import make_dbt_repository, make_plain_repository
from tests.benchmarks.wide import make_wide_models

ROOT = Path(__file__).parent.parent.parent


def test_statements_are_the_same_in_every_run_and_have_about_a_kilobyte() -> None:
    statements = make_statements(300)

    assert statements == make_statements(300)
    assert len(set(statements)) > 250
    assert 900 < sum(map(len, statements)) / 300 < 1300


def test_every_statement_is_read() -> None:
    for sql in make_statements(30):
        reads = find_reads(sql, dialect="snowflake", schema=SCHEMA)

        assert reads, sql
        assert {read.relation for read in reads if read.relation.startswith("shop.raw.")} <= SCHEMA.keys()


def test_wide_models_are_read_to_the_last_column() -> None:
    statements = make_wide_models(12)

    assert statements == make_wide_models(12)
    for sql in statements:
        reads = find_reads(sql, dialect="snowflake", schema=wide.SCHEMA)
        written = {column for column in wide.COLUMNS if re.search(rf"\b{column}\b", sql)}
        assert {read.column for read in reads if read.relation.startswith("shop.raw.")} - {"*"} == written


def test_models_have_one_to_three_kilobytes_and_read_each_other() -> None:
    files = make_plain_repository(60)

    assert files == make_plain_repository(60)
    assert all(1000 < len(text) < 3000 for text in files.values())
    assert sum("FROM shop.marts." in text for text in files.values()) == 20


def test_the_dbt_repository_renders_to_the_same_queries() -> None:
    plain, dbt = make_plain_repository(60), make_dbt_repository(60)
    rendered = {text.path: text for text in render_tree(dbt, Config(dialect="snowflake"))}

    assert rendered.keys() == plain.keys()
    assert {text.why for text in rendered.values()} == {None}
    assert all("FROM shop.raw." in text.sql for text in rendered.values())


def test_an_engine_is_timed_over_all_rounds() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.engines", "tether", "models", "duckdb", "12", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    answer = json.loads(done.stdout)

    assert (len(answer["seconds"]), answer["failed"]) == (2, 0)
