"""What is asked of the catalog about a tree's dbt projects, and what becomes of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

from app.edges.git.trees import MAX_FILE_BYTES
from app.ports import TreeEntry, TreeListing, Unfinished
from app.render import Seen
from app.source.known_names import fetch_seen, learn_names, without_manifests
from app.source.parsing import TreeParser
from app.source.repo_files import find_wanted
from app.source.selection import choose_read
from app.trail import GraphSlice, ModelListing, Naming
from app.words import CatalogNaming, Config, Tree
from tests.fakes.isolation import InlineIsolation

A = TypeVar("A")
B = TypeVar("B")
CONFIG = Config(dialect="snowflake")
TREE = Tree({
    "dbt_project.yml": "name: shop",
    "models/orders.sql": "select * from {{ source('raw', 'events') }}",
    "models/mart.sql": "{{ config(alias='Revenue') }}select * from {{ ref('orders') }} join {{ ref('fivetran', 'accounts') }}",
    "models/s.yml": "sources: [{name: raw, tables: [{name: events}, {name: x, identifier: clicks}]}]",
})  # fmt: skip
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def dataset(platform: str, name: str, env: str = "PROD") -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},{env})"


class Catalog:
    """Answers with these aspects, and keeps what it was asked."""

    def __init__(self, aspects: dict[str, dict[str, dict[str, Any]]]) -> None:
        self.aspects, self.asked = aspects, list[frozenset[str]]()

    async def fetch_aspects(self, urns: frozenset[str]) -> GraphSlice:
        self.asked.append(urns)
        return GraphSlice(frozenset(), (), {urn: self.aspects.get(urn, {}) for urn in urns})

    async def fetch_neighbours(
        self, urns: frozenset[str], *, known: frozenset[str] = frozenset(), guesses: frozenset[str] = frozenset()
    ) -> GraphSlice:
        raise AssertionError((urns, known, guesses))

    async def fetch_edges(self, urns: frozenset[str]) -> GraphSlice:
        raise AssertionError(urns)

    async def fetch_models(self) -> ModelListing:
        raise AssertionError

    async def fetch_urns(self, entity_type: str) -> tuple[str, ...]:
        raise AssertionError(entity_type)


class CountingIsolation(InlineIsolation):
    def __init__(self) -> None:
        self.functions: list[str] = []

    async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]:
        self.functions.append(function.__name__)
        return await super().run(function, items)


def entity(unique: str, *siblings: str, **more: str) -> dict[str, dict[str, Any]]:
    return {
        "datasetProperties": {"customProperties": {"dbt_unique_id": unique, **more}},
        "siblings": {"siblings": list(siblings)},
    }


async def test_only_entities_that_the_tree_may_mean_are_asked_for_all_at_once() -> None:
    wanted = [dataset("dbt", f"db.core.{n}") for n in ("orders", "revenue", "events", "clicks", "accounts")]
    others = [
        dataset("dbt", "db.core.elsewhere"),
        dataset("dbt", "db.core.orders", "DEV"),
        dataset("snowflake", "db.core.orders"),
    ]
    catalog = Catalog({})

    await fetch_seen((TREE, Tree({"a.sql": "select 1"})), Naming.of([*wanted, *others], CONFIG), CONFIG, catalog)

    assert catalog.asked == [frozenset(wanted)]


async def test_a_catalog_without_dbt_is_not_asked() -> None:
    catalog = Catalog({})

    (seen,) = await fetch_seen((TREE,), Naming.of([dataset("snowflake", "DB.CORE.ORDERS")], CONFIG), CONFIG, catalog)

    assert (seen, catalog.asked) == (Seen(tables={"orders": (("DB", "CORE", "ORDERS"),)}), [])


async def test_a_sibling_tells_the_name_in_the_warehouse() -> None:
    config = Config(catalog=CatalogNaming(instance="eu"))
    urns = [dataset("dbt", "x.core.orders"), dataset("dbt", "db.core.revenue"), dataset("dbt", "db.core.accounts")]
    catalog = Catalog({
        urns[0]: entity("model.shop.orders", dataset("snowflake", "eu.db.core.orders")),
        urns[1]: entity("model.shop.mart", dataset("dbt", "other.core.revenue")),
        urns[2]: entity("model.fivetran.accounts", materialization="ephemeral"),
    })  # fmt: skip

    (seen,) = await fetch_seen((TREE,), Naming.of(urns, config), config, catalog)

    assert seen.nodes == {
        "model.shop.orders": (("db", "core", "orders"),),
        "model.shop.mart": (("db", "core", "revenue"),),
    }


async def learnt(tree: Tree) -> tuple[TreeParser, tuple[str, ...], CountingIsolation]:
    urn = dataset("dbt", "db.core.orders")
    isolation = CountingIsolation()
    parser = TreeParser(isolation, CONFIG)
    catalog = Catalog({urn: entity("model.shop.orders")})
    notes = await learn_names(parser, (tree,), Naming.of([urn], CONFIG), CONFIG, catalog)
    return parser, notes, isolation


async def test_every_tree_of_the_repository_is_named_by_it() -> None:
    parser, notes, _ = await learnt(TREE)
    head = Tree({**TREE.files, "models/new.sql": "select * from {{ ref('orders') }}"})

    parsed = await parser.parse(head, {})
    foreign = await parser.parse(Tree(TREE.files, repo="shop/other"), {})

    assert {t.relation for t in parsed.texts} == {"db.core.new", "db.core.orders", "db.core.revenue"}
    assert {t.relation for t in foreign.texts} == {"orders", "revenue"}
    assert notes == ()


async def test_nothing_is_computed_where_nothing_was_seen() -> None:
    _, _, isolation = await learnt(Tree({"a.sql": "select 1"}))

    assert isolation.functions == []


async def test_a_broken_manifest_is_told_and_goes_no_further() -> None:
    tree = Tree({**TREE.files, "target/manifest.json": '{"metadata": {"dbt_schema_version": 1'}, repo="shop/dbt")

    _, (note,), _ = await learnt(tree)

    assert note.startswith("shop/dbt target/manifest.json: it is not JSON")
    assert without_manifests(tree).files == TREE.files


def test_what_is_read_of_a_dbt_project() -> None:
    is_read = choose_read(["wh/dbt_project.yml", "README.md"])

    read = ["wh/x/props.yml", "wh/reference/codes.csv", "wh/target/manifest.json", "a.sql", ".tether.yml"]
    assert [path for path in read if not is_read(path)] == []
    unread = [
        "x/props.yml",
        "codes.csv",
        "wh/.github/ci.yml",
        "wh/target/x.yml",
        "web/manifest.json",
        "wh/node_modules/a.yml",
    ]
    assert [path for path in unread if is_read(path)] == []
    assert not choose_read(["wh/dbt_project.yml"], manifests=False)("wh/target/manifest.json")


def test_a_manifest_may_be_larger_than_other_files() -> None:
    entries = tuple(
        TreeEntry(path, path, "100644", size)
        for path, size in [
            ("manifest.json", 60_000_000),
            ("target/manifest.json", 60_000_001),
            ("a.sql", MAX_FILE_BYTES + 1),
        ]
    )

    wanted = find_wanted(TreeListing("c", entries, truncated=False), lambda _: True)

    assert wanted.unread == {"target/manifest.json": "it is larger than 60 MB", "a.sql": "it is larger than 1 MB"}


async def test_names_are_kept_for_the_next_review() -> None:
    rows: dict[str, bytes] = {}

    class Cache:
        async def fetch_parsed(self, keys: Sequence[str]) -> dict[str, bytes]:
            return {key: rows[key] for key in keys if key in rows}

        async def store_parsed(self, found: dict[str, bytes]) -> None:
            rows.update(found)

    manifest = {
        "metadata": {"dbt_schema_version": "v12"},
        "nodes": {"model.shop.orders": {"name": "orders", "schema": "s"}},
    }
    answers = []
    for schema in ("s", "s", "t"):
        manifest["nodes"]["model.shop.orders"]["schema"] = schema  # type: ignore[index]  # a literal of two levels
        isolation = CountingIsolation()
        parser = TreeParser(isolation, CONFIG, None, Cache())  # type: ignore[arg-type]  # dict for Mapping
        tree = Tree({**TREE.files, "manifest.json": json.dumps(manifest)})
        await learn_names(parser, (tree,), Naming.of([], CONFIG), CONFIG, None)
        learnt_by = list(isolation.functions)
        parsed = await parser.parse(without_manifests(tree), {})
        answers.append((learnt_by, next(text.relation for text in parsed.texts if "orders" in text.path)))

    assert answers == [(["find_known"], "s.orders"), ([], "s.orders"), (["find_known"], "t.orders")]
