"""Cells of Databricks notebooks: which `# MAGIC` lines are SQL, where they stand, and what is left of the file."""

from __future__ import annotations

from app.reads import find_words
from app.render import blank_read, find_code_sql

NOTEBOOK = """# Databricks notebook source
# MAGIC %md
# MAGIC The discount of every customer
# COMMAND ----------
# MAGIC %sql
# MAGIC CREATE OR REPLACE TABLE f AS
# MAGIC SELECT a FROM t

# COMMAND ----------
# MAGIC %sql select b from u
# MAGIC %scala
# MAGIC val c = spark.table("v")
# COMMAND ----------
x = spark.sql("select d from w")
"""


def test_sql_cells_are_texts_with_their_lines() -> None:
    first, second, third = find_code_sql("nb/f.py", NOTEBOOK).texts

    assert (" ".join(first.sql.split()), first.lines) == ("CREATE OR REPLACE TABLE f AS SELECT a FROM t", (5, 6, 7))
    assert (second.sql.strip(), second.lines) == ("select b from u", (10,))
    assert (third.sql, third.lines) == ("select d from w", (14,))
    assert {text.kind for text in (first, second, third)} == {"python"}


def test_what_was_read_is_taken_out_of_the_rest() -> None:
    rest = blank_read(NOTEBOOK, find_code_sql("nb/f.py", NOTEBOOK).texts)

    assert rest.count("\n") == NOTEBOOK.count("\n")
    assert "SELECT a FROM t" not in rest
    assert "spark.table" in rest


def test_cells_count_by_their_words_but_markdown_does_not() -> None:
    words, _ = find_words(NOTEBOOK, language="python")

    assert {"t", "u", "v"} <= words
    assert "discount" not in words


def test_a_comment_in_other_python_is_no_cell() -> None:
    assert find_code_sql("job.py", "# MAGIC %sql\n# MAGIC SELECT a FROM t\n").texts == ()


def test_a_notebook_that_is_no_python_still_has_its_cells() -> None:
    texts = find_code_sql("nb/f.py", NOTEBOOK + "%pip install x\n").texts

    assert [text.why is None for text in texts] == [True, True, False]
