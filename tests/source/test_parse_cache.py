"""What was parsed once is not parsed again, in this review or another; what depends on anything else is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import pytest

from app.change import ParsedFile, ParseItem, parse_file
from app.ports import Unfinished
from app.render import SqlText
from app.source import digests
from app.source.parse_cache import ParseCache, StoredFile
from app.source.parsing import ParsedTree, TreeParser
from app.source.rendering import Placed, RenderItem
from app.words import CatalogNaming, Config, Schema, Tree
from tests.fakes.isolation import InlineIsolation

A = TypeVar("A")
B = TypeVar("B")
pytestmark = pytest.mark.anyio

CONFIG = Config(dialect="snowflake")
FILES = {
    "ddl/orders.sql": "CREATE TABLE shop.raw.orders (order_id INT, discount_pct FLOAT DEFAULT 0);",
    "views/stg.sql": "CREATE VIEW shop.a.stg AS\nSELECT * FROM shop.raw.orders;",
    "views/other.sql": "CREATE VIEW shop.a.other AS SELECT x FROM shop.raw.elsewhere;",
    "migrations/0001_a.sql": "ALTER TABLE shop.raw.orders DROP COLUMN old;\nCALL nobody_knows();",
    "views/broken.sql": "CREATE VIEW shop.a.broken AS SELECT (( FROM shop.raw.orders;",
    "jobs/query.py": "SQL = 'SELECT order_id FROM shop.raw.orders'\n",
}
SCHEMA: Schema = {"shop.raw.orders": {"order_id": "INT", "discount_pct": "FLOAT"}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class MemoryCache:
    """`ParseCache` in memory."""

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}

    async def fetch_parsed(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def store_parsed(self, rows: Mapping[str, bytes]) -> None:
        self.rows |= rows

    def drop(self, kind: str) -> None:
        self.rows = {key: row for key, row in self.rows.items() if not key.startswith(f"{kind}:")}


class Counting:
    """Isolation that counts items, and gives up on those that hold `bomb`."""

    def __init__(self, bomb: str = "\0") -> None:
        self.inline, self.bomb = InlineIsolation(), bomb
        self.items: list[Any] = []

    async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]:
        self.items += items
        answers = await self.inline.run(function, items)
        return tuple(
            Unfinished("it took too long") if self.bomb in repr(item) else answer
            for item, answer in zip(items, answers, strict=True)
        )

    @property
    def parsed(self) -> list[str]:
        return [item.text.path for item in self.items if isinstance(item, ParseItem)]

    @property
    def rendered(self) -> int:
        return sum(isinstance(item, RenderItem) for item in self.items)


async def parse(
    cache: MemoryCache | None,
    files: Mapping[str, str] = FILES,
    schema: Schema = SCHEMA,
    *,
    config: Config = CONFIG,
    lasting: bool = True,
    bomb: str = "\0",
) -> tuple[ParsedTree, Counting]:
    """A review of its own each time."""
    isolation = Counting(bomb)
    parsed = await TreeParser(isolation, config, None, cache).parse(Tree(files), schema, lasting=lasting)
    return parsed, isolation


async def test_an_unchanged_tree_is_neither_rendered_nor_parsed_and_comes_back_whole() -> None:
    cache = MemoryCache()
    first, work = await parse(cache)
    again, no_work = await parse(cache)

    assert len(work.parsed) == len(first.files)
    assert no_work.items == []
    assert (again.texts, again.files) == (first.texts, first.files)


async def test_the_cache_changes_no_result() -> None:
    without, _ = await parse(None)
    cache = MemoryCache()
    await parse(cache)
    cache.drop("tree")
    cache.drop("texts")
    from_files, work = await parse(cache)

    assert work.parsed == []
    assert (from_files.texts, from_files.files) == (without.texts, without.files)


async def test_only_what_changed_is_parsed() -> None:
    cache = MemoryCache()
    await parse(cache)
    changed, work = await parse(cache, FILES | {"views/other.sql": "CREATE VIEW shop.a.other AS SELECT y FROM t;"})

    assert work.parsed == ["views/other.sql"]
    assert changed.by_path()["views/other.sql"][0].statements[0].outputs[0].name == "y"


async def test_only_what_names_a_relation_is_parsed_again_when_its_columns_change() -> None:
    cache = MemoryCache()
    await parse(cache)
    _, work = await parse(cache, schema={"shop.raw.orders": {"order_id": "INT"}, "shop.raw.unused": {"x": "INT"}})

    assert "views/stg.sql" in work.parsed
    assert "views/other.sql" not in work.parsed


@pytest.mark.parametrize(
    "config", [replace(CONFIG, dialect="bigquery"), replace(CONFIG, catalog=CatalogNaming(database="shop"))]
)
async def test_other_settings_are_other_files(config: Config) -> None:
    cache = MemoryCache()
    await parse(cache)
    _, work = await parse(cache, config=config)

    assert len(work.parsed) >= 5


async def test_another_version_of_the_engine_reads_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = MemoryCache()
    first, _ = await parse(cache)
    monkeypatch.setattr(digests, "find_engine_version", lambda: "another")
    _, work = await parse(cache)

    assert len(work.parsed) == len(first.files)
    assert work.rendered == 1


async def test_what_a_child_could_not_finish_is_tried_again() -> None:
    cache = MemoryCache()
    first, _ = await parse(cache, bomb="path='views/other.sql'")
    again, work = await parse(cache)

    assert first.by_path()["views/other.sql"][0].unknowns[0].why == "it took too long"
    assert work.parsed == ["views/other.sql"]
    assert again.by_path()["views/other.sql"][0].unknowns == ()


async def test_a_tree_whose_templates_a_child_could_not_finish_is_rendered_again() -> None:
    files = {"a.sql": "select {{ x }} from t", "b.sql": "select 1 as one from t"}
    cache = MemoryCache()
    await parse(cache, files, bomb="RenderItem")
    _, work = await parse(cache, files)

    assert work.rendered == 1


async def test_a_tree_of_a_pull_request_leaves_its_files_alone() -> None:
    cache = MemoryCache()
    await parse(cache, lasting=False)

    assert {key.partition(":")[0] for key in cache.rows} == {"file"}


@pytest.mark.parametrize("kind", ["file", "tree", "texts"])
async def test_a_row_that_cannot_be_read_is_computed(kind: str) -> None:
    cache = MemoryCache()
    first, _ = await parse(cache)
    if kind == "file":
        cache.drop("tree")
    cache.rows = {key: b"nonsense" if key.startswith(kind) else row for key, row in cache.rows.items()}
    again, _ = await parse(cache)

    assert (again.texts, again.files) == (first.texts, first.files)


async def test_one_review_parses_a_text_of_several_trees_once() -> None:
    isolation = Counting()
    parser = TreeParser(isolation, CONFIG)
    base = await parser.parse(Tree(FILES), SCHEMA)
    head = await parser.parse(Tree(FILES | {"views/new.sql": "CREATE VIEW v AS SELECT 1 AS one"}), SCHEMA)

    assert len(isolation.parsed) == len(base.files) + 1
    assert {file.path for file in head.files} - {file.path for file in base.files} == {"views/new.sql"}


# --- the shelf -----------------------------------------------------------------------------------------------------


def test_a_stored_file_has_every_field_but_the_lines() -> None:
    assert [f.name for f in fields(StoredFile)] == [f.name for f in fields(ParsedFile) if f.name != "source"]


async def test_what_is_on_the_shelf_is_what_was_put_there() -> None:
    cache = ParseCache(MemoryCache())
    item = ParseItem(SqlText("m.sql", FILES["migrations/0001_a.sql"], (1, 2)), "migration", "snowflake")
    file = parse_file(item)
    await cache.store_files({"a": file})
    await cache.store_tree("t", [file, file])
    await cache.store_texts("r", [Placed(item.text, "migration")])

    assert file.steps
    assert await cache.fetch_files(["a", "b"]) == {"a": file}
    first, second = (replace(file, source=lines) for lines in (("one",), ("two",)))
    assert await cache.fetch_tree("t", [first.source, second.source]) == (first, second)
    assert await cache.fetch_tree("t", [first.source]) is None  # another tree than was put there
    assert await cache.fetch_texts("r") == (Placed(item.text, "migration"),)
    assert await cache.fetch_tree("a", [()]) is None


async def test_an_empty_place_for_a_cache_is_always_empty() -> None:
    cache = ParseCache(None)
    await cache.store_texts("r", [])

    assert await cache.fetch_texts("r") is None
    assert await cache.fetch_files(["a"]) == {}
