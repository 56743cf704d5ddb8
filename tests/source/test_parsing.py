"""Trees to parsed files: what a child could not do is said, and equal results never stand in for different texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from app.change import parse_file
from app.ports import Unfinished
from app.render import NOTHING
from app.source import rendering
from app.source.indexing import build_index, mark_head
from app.source.parsing import TreeParser, merge_schemas, overlay
from app.source.rendering import TreeRenderer, render
from app.source.schemas import fold_stored
from app.words import Config, Repo, Tree
from tests.fakes.isolation import InlineIsolation

A = TypeVar("A")
B = TypeVar("B")
REPO = Repo(1, "shop/warehouse")
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class FailingIsolation:
    """Cannot finish a function the first `times` times; everything else runs inline."""

    def __init__(self, function: Callable[..., object], times: int) -> None:
        self.function, self.times, self.inline = function, times, InlineIsolation()

    async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]:
        if function is self.function and self.times > 0:
            self.times -= 1
            return tuple(Unfinished("it took longer than 30 s") for _ in items)
        return await self.inline.run(function, items)


async def test_two_unreadable_texts_are_two() -> None:
    """The same reason and no SQL at all: still another source, so still another file."""
    parser = TreeParser(InlineIsolation(), Config(dialect="snowflake"))
    one = await parser.parse(Tree({"models/a.sql": "select {{ nobody('x') }} from (("}), {})
    other = await parser.parse(Tree({"models/a.sql": "select {{ nobody('y') }} from (("}), {})

    assert [file.source for file in one.files] != [file.source for file in other.files]


async def test_a_template_that_kills_its_process_is_unknown_and_the_rest_is_read() -> None:
    parser = TreeParser(FailingIsolation(render, 1), Config(dialect="duckdb"))
    tree = Tree({"a.sql": "create view v as select x from t", "b.sql": "select {{ bomb }} from t"})
    files = (await parser.parse(tree, {})).by_path()

    assert files["a.sql"][0].unknowns == ()
    assert [s.target for s in files["a.sql"][0].statements] == ["main.v"]
    assert "it took longer than 30 s" in files["b.sql"][0].unknowns[0].why


async def test_when_nothing_can_be_rendered_every_sql_file_is_unknown() -> None:
    parser = TreeParser(FailingIsolation(render, 2), Config(dialect="duckdb"))
    tree = Tree({"a.sql": "create view v as select x from t", "b.sql": "select {{ bomb }} from t"})
    files = (await parser.parse(tree, {})).by_path()

    assert sorted(path for path in files if files[path][0].unknowns) == ["a.sql", "b.sql"]


async def test_sql_that_kills_its_process_is_unknown() -> None:
    parser = TreeParser(FailingIsolation(parse_file, 1), Config(dialect="duckdb"))
    (file,) = (await parser.parse(Tree({"a.sql": "select 1"}), {})).files

    assert file.unknowns[0].path == "a.sql"
    assert "it took longer than 30 s" in file.unknowns[0].why


async def test_an_unreadable_file_is_opaque_with_its_words() -> None:
    parser = TreeParser(InlineIsolation(), Config(dialect="duckdb"))
    parsed = await parser.parse(Tree({"views/a.sql": "create view v as select discount_pct from (( orders"}), {})
    (opaque,) = build_index(REPO, parsed).opaque

    assert {"discount_pct", "orders"} <= opaque.words


async def test_python_is_opaque_with_its_words() -> None:
    parser = TreeParser(InlineIsolation(), Config())
    parsed = await parser.parse(Tree({"features/f.py": "def index(orders):\n    return orders['created_at']\n"}), {})
    (opaque,) = build_index(REPO, parsed).opaque

    assert {"orders", "created_at"} <= opaque.words


async def test_a_migration_that_ran_is_no_reader_but_the_view_it_made_is() -> None:
    parser = TreeParser(InlineIsolation(), Config(dialect="postgres"))
    text = "insert into a select x from t; create view v as select y from t;"
    index = build_index(REPO, await parser.parse(Tree({"migrations/0001_a.sql": text}), {}))

    assert [reader.statement.kind for reader in index.readers] == ["create_view"]


async def lasting(files: dict[str, str], dialect: str = "postgres") -> list[tuple[str, str | None]]:
    parser = TreeParser(InlineIsolation(), Config(dialect=dialect))
    index = build_index(REPO, await parser.parse(Tree(files), {}))
    return [(reader.path, reader.statement.target) for reader in index.readers]


async def test_only_the_last_version_of_a_view_reads() -> None:
    first = {"migrations/0001_a.sql": "create view public.v as select x, y from public.t;"}
    second = {"migrations/0002_b.sql": "create or replace view public.v as select x from public.t;"}

    assert await lasting(first | second) == [("migrations/0002_b.sql", "public.v")]


async def test_a_dropped_view_reads_nothing_and_a_renamed_one_reads_under_its_new_name() -> None:
    first = {"migrations/0001_a.sql": "create view public.v as select x from public.t;"}

    assert await lasting(first | {"migrations/0002_b.sql": "drop view public.v;"}) == []
    assert await lasting(first | {"migrations/0002_b.sql": "alter view public.v rename to w;"}) == [
        ("migrations/0001_a.sql", "public.w")
    ]


async def test_a_copy_that_was_made_once_reads_no_more_and_a_dynamic_table_does() -> None:
    copy = "create table shop.f.a as select x from shop.raw.t;"
    dynamic = "create dynamic table shop.f.b target_lag = '1 hour' warehouse = w as select x from shop.raw.t;"

    assert await lasting({"migrations/0001_a.sql": f"{copy}\n{dynamic}"}, "snowflake") == [
        ("migrations/0001_a.sql", "shop.f.b")
    ]


async def test_a_task_that_a_migration_made_goes_on() -> None:
    parser = TreeParser(InlineIsolation(), Config(dialect="snowflake"))
    text = "create task k schedule = '1 minute' as insert into f select x from t;\ncall once(x);"
    index = build_index(REPO, await parser.parse(Tree({"migrations/0001_a.sql": text}), {}))

    assert [opaque.why for opaque in index.opaque] == ["the body of a task is not read"]


async def test_a_reader_that_the_change_edits_is_cited_at_the_head() -> None:
    parser = TreeParser(InlineIsolation(), Config(dialect="postgres"))
    tree = Tree(
        {"views/a.sql": "create view a as select x from t", "views/b.sql": "create view b as select x from t"}, "tip"
    )
    index = mark_head(build_index(REPO, await parser.parse(tree, {})), {"views/b.sql"}, "head", tree.files)
    cited = [reader.evidence(1) for reader in index.readers]

    assert [(e.path, e.side, e.commit) for e in cited] == [
        ("views/a.sql", "base", "tip"),
        ("views/b.sql", "head", "head"),
    ]


def test_overlay() -> None:
    tip = Tree({"kept": "1", "edited": "1", "deleted": "1"}, commit="tip", unread={"mended": "it is binary"})
    head = Tree({"kept": "0", "edited": "2", "added": "2", "mended": "2"}, unread={"broken": "it is binary"})
    laid = overlay(tip, head, ["edited", "deleted", "added", "mended", "broken"])

    assert laid == Tree(
        {"kept": "1", "edited": "2", "added": "2", "mended": "2"}, commit="tip", unread={"broken": "it is binary"}
    )


def test_merged_schemas_keep_the_first_types_and_order() -> None:
    merged = merge_schemas({"t": {"a": "INT", "b": "INT"}}, {"t": {"b": "TEXT", "c": "INT"}, "u": {"x": ""}})

    assert merged == {"t": {"a": "INT", "b": "INT", "c": "INT"}, "u": {"x": ""}}


@pytest.mark.parametrize(
    ("stored", "dialect", "folded"),
    [
        ("discount_pct", "snowflake", "discount_pct"),
        ("DISCOUNT_PCT", "snowflake", "discount_pct"),
        ("Discount_Pct", "snowflake", '"Discount_Pct"'),
        ("Discount_Pct", "postgres", '"Discount_Pct"'),
        ("Discount_Pct", "bigquery", "discount_pct"),
    ],
)
def test_stored_names(stored: str, dialect: str, folded: str) -> None:
    assert fold_stored(stored, dialect) == folded


def _project(models: int) -> Tree:
    """Half of them templates with a macro, a condition and a name that YAML gives."""
    files = {"dbt_project.yml": "name: shop", "macros/m.sql": "{% macro cents(c) %}{{ c }} / 100{% endmacro %}"}
    files["models/_props.yml"] = (
        "models: [{name: m1, config: {alias: first}}]\nsources: [{name: raw, tables: [{name: t}]}]"
    )
    files["models/broken.yml"] = "models: ["
    for n in range(models):
        above = f"{{{{ ref('m{n - 1}') }}}}" if n else "{{ source('raw', 't') }}"
        files[f"models/m{n}.sql"] = f"select {{{{ cents('a') }}}} as a from {above} {{% if n %}}where b{{% endif %}}"  # noqa: S608 - rendered, never run
        files[f"views/v{n}.sql"] = f"create view v{n} as select a from m{n}"  # noqa: S608 - the same
    return Tree(files)


async def test_a_large_project_is_rendered_in_parts_that_make_the_same_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(dialect="duckdb")
    whole = await TreeRenderer(InlineIsolation(), config).render(_project(40), NOTHING)

    monkeypatch.setattr(rendering, "TEMPLATES_AT_ONCE", 7)
    items: list[object] = []

    class Listening(InlineIsolation):
        async def run(self, function: Callable[[A], B], items_: Sequence[A]) -> tuple[B | Unfinished, ...]:
            items.extend(items_)
            return await super().run(function, items_)

    parts = await TreeRenderer(Listening(), config).render(_project(40), NOTHING)

    assert len(items) == 6
    assert parts == whole
    assert len(whole.texts) == 81


async def test_a_part_that_kills_its_process_costs_the_others_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "TEMPLATES_AT_ONCE", 20)

    class Dying(InlineIsolation):
        async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]:
            found = await super().run(function, items)
            return (Unfinished("it died"), *found[1:]) if len(items) > 1 else found

    rendered = await TreeRenderer(Dying(), Config(dialect="duckdb")).render(_project(40), NOTHING)
    models = [placed.text for placed in rendered.texts if placed.text.path.startswith("models/m")]
    dead = [text for text in models if text.why is not None]

    assert not rendered.finished
    assert 0 < len(dead) < len(models) == 40
    assert {text.why for text in dead} == {"the templates of this repository could not be rendered: it died"}
    assert all(placed.text.why is None for placed in rendered.texts if placed.text.path.startswith("views/"))
