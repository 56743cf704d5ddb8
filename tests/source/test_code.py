"""Constant SQL of Python files on its way into the index: readers on the file's lines, and words of what nobody read."""

from __future__ import annotations

import pytest

from app.source.indexing import build_index
from app.source.parsing import ParsedTree, TreeParser
from app.source.rendering import find_code_texts
from app.trail import OpaqueFile
from app.words import Config, Repo, Tree
from tests.fakes.isolation import InlineIsolation
from tests.source.test_parsing import FailingIsolation

pytestmark = pytest.mark.anyio
REPO = Repo(1, "acme/warehouse")
SCHEMA = {"orders": {"customer_id": "int", "discount_pct": "numeric"}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def parse(code: str, path: str = "features/a.py") -> ParsedTree:
    parser = TreeParser(InlineIsolation(), Config(dialect="postgres"))
    return await parser.parse(Tree({path: code}), SCHEMA)


async def opaque(code: str) -> OpaqueFile:
    (file,) = build_index(REPO, await parse(code)).opaque
    return file


async def test_a_statement_stands_on_the_lines_of_the_file() -> None:
    query = '"""\n    SELECT customer_id,\n           discount_pct\n    FROM orders\n    """'
    code = f"x = 1\n\x0c\nframe = read_sql(\n    {query},\n)\n"
    (reader,) = build_index(REPO, await parse(code)).readers
    (read,) = [read for read in reader.statement.reads if read.column == "discount_pct"]

    assert reader.source[read.line - 1].strip() == "discount_pct"
    assert reader.evidence(read.line).text == "discount_pct"
    assert (reader.dialect, reader.statement.target) == ("postgres", None)


async def test_the_words_of_sql_that_was_read_do_not_make_its_file_unknown() -> None:
    file = await opaque('frame = read_sql("SELECT discount_pct FROM orders")\nframe.plot()\n')

    assert not {"discount_pct", "orders"} & file.words
    assert "plot" in file.words
    assert not file.has_star


async def test_the_words_of_the_code_around_it_stay() -> None:
    code = 'read_sql("SELECT customer_id FROM customers")\norders["discount_pct"].mean()\n'

    assert {"orders", "discount_pct"} <= (await opaque(code)).words


async def test_sql_with_a_computed_part_keeps_its_words_and_is_named() -> None:
    file = await opaque('x = 1\nread_sql(f"SELECT discount_pct FROM {schema}.orders")\nread_sql("SELECT 1 FROM a")\n')

    assert {"discount_pct", "orders"} <= file.words
    assert (file.why, file.line) == ("SQL at line 2 has a part that is computed", 2)


async def test_sql_that_the_engine_cannot_read_keeps_its_words_and_is_named() -> None:
    file = await opaque('x = 1\ncursor.execute("SELECT discount_pct FROM FROM orders ((")\n')

    assert {"discount_pct", "orders"} <= file.words
    assert "does not parse" in file.why
    assert file.line == 2


async def test_old_python_keeps_its_words_and_is_named() -> None:
    file = await opaque("print 'x'\nread_sql('SELECT discount_pct FROM orders')\n")

    assert {"discount_pct", "orders"} <= file.words
    assert "line 1" in file.why


async def test_what_is_unread_in_code_is_no_unread_change_by_itself() -> None:
    parsed = await parse('read_sql(f"SELECT a FROM {table}")\nread_sql("SELECT FROM FROM")\n')

    assert all(not file.unknowns for file in parsed.files)


async def test_a_migration_in_python_is_left_to_those_who_read_migrations() -> None:
    parsed = await parse('op.execute("UPDATE orders SET discount_pct = 0")\n', "alembic/versions/1_a.py")

    assert [text for text in parsed.texts if text.kind == "python"] == []


async def test_a_file_that_kills_its_process_is_named_and_keeps_its_words() -> None:
    parser = TreeParser(FailingIsolation(find_code_texts, 1), Config(dialect="postgres"))
    code = 'read_sql("SELECT discount_pct FROM orders")\n'
    index = build_index(REPO, await parser.parse(Tree({"a.py": code, "b.sql": "SELECT 1 FROM orders"}), SCHEMA))

    (file,) = [file for file in index.opaque if file.path == "a.py"]
    assert {"discount_pct", "orders"} <= file.words
    assert "could not be looked for" in file.why
    assert [reader.path for reader in index.readers] == ["b.sql"]
