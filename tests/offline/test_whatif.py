"""What if a column were dropped: a repository of five files and three hops, with and without a catalog."""

from __future__ import annotations

import pytest

from app.effects import ReviewSubject, WhatIf, what_if_json, what_if_text
from app.offline.whatif import ask_what_if
from app.review.assess import ChangeInputs, assess
from app.words import Config, Permanent, Repo, Tree
from tests.build import World, feature_entity, model, model_entity, table
from tests.fakes.catalog_reads import FakeCatalogReads
from tests.fakes.isolation import InlineIsolation

pytestmark = pytest.mark.anyio

#: orders -> stg_orders -> daily -> customer_features, one step a file; the fifth reads nothing of it
FILES = {
    ".tether.yml": "version: 1\ndialect: snowflake\n",
    "ddl/orders.sql": "CREATE TABLE shop.raw.orders (order_id INT, customer_id INT, discount_pct FLOAT, quantity INT);",
    "views/stg_orders.sql": "CREATE VIEW shop.a.stg_orders AS\nSELECT *\nFROM shop.raw.orders;",
    "views/daily.sql": (
        "CREATE TABLE shop.a.daily AS\nSELECT customer_id, quantity,\n  discount_pct / 100 AS rate\nFROM shop.a.stg_orders;"
    ),
    "features/customer_features.sql": (
        "CREATE TABLE shop.f.customer_features AS\nSELECT customer_id,\n  AVG(rate) AS discount_sensitivity,\n"
        "  SUM(quantity) AS units\nFROM shop.a.daily\nGROUP BY customer_id;"
    ),
    "views/units.sql": "CREATE VIEW shop.a.units AS SELECT customer_id, units FROM shop.f.customer_features;",
    "jobs/export.py": "def export(session):\n    return session.table('orders').discount_pct\n",
}
DISCOUNT = "shop.raw.orders.discount_pct"
WORLD = World.of(
    table("shop.raw.orders", "order_id customer_id discount_pct quantity"),
    table("shop.f.customer_features", "customer_id discount_sensitivity units"),
    feature_entity("customer_features.discount_sensitivity", "shop.f.customer_features"),
    feature_entity("customer_features.units", "shop.f.customer_features"),
    model_entity("churn", "customer_features.discount_sensitivity", owner="growth-ml"),
    model_entity("stock", "customer_features.units"),
    table("shop.f.sessions", "session_id"),
    feature_entity("sessions.session_id", "shop.f.sessions"),
    model_entity("ranking", "sessions.session_id"),
    model_entity("old", "customer_features.discount_sensitivity", serving=False),
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def ask(text: str, column: str | None = None, *, catalog: FakeCatalogReads | None = None, **files: str) -> WhatIf:
    """`files`: in place of those of FILES, by path with `__` for `/`."""
    held = FILES | {path.replace("__", "/").replace("_sql", ".sql"): text for path, text in files.items()}
    return await ask_what_if(text, column, tree=Tree(held), catalog=catalog, isolation=InlineIsolation())


async def test_readers_over_three_hops() -> None:
    answer = await ask(DISCOUNT)

    assert [(f.path, f.line, f.clause, f.direct, f.through) for f in answer.readers] == [
        ("views/stg_orders.sql", 2, "select", True, ()),
        ("views/daily.sql", 3, "select", False, ("shop.a.stg_orders",)),
        ("features/customer_features.sql", 3, "select", False, ("shop.a.stg_orders", "shop.a.daily")),
    ]


async def test_a_file_that_nobody_reads_is_unknown_when_it_mentions_it() -> None:
    answer = await ask(DISCOUNT)

    assert [(u.path, u.why) for u in answer.unknown] == [
        ("jobs/export.py", "it is Python; Tether reads constant SQL alone")
    ]
    assert (await ask("shop.raw.orders.quantity")).unknown == ()


async def test_without_a_catalog_models_are_not_known_and_that_is_said() -> None:
    answer = await ask(DISCOUNT)

    assert (what_if_json(answer)["models"], what_if_json(answer)["models_known"]) == ([], False)
    assert "Models are not known without a catalog" in what_if_text(answer)


async def test_models_serving_or_not_and_only_those_that_are_reached() -> None:
    """`stock` as well: the statement that names the lost column fails, so nothing that it builds is built."""
    answer = await ask(DISCOUNT, catalog=FakeCatalogReads(WORLD))

    assert {(model("churn"), "serving"), (model("stock"), "serving"), (model("old"), "not_serving")} == {
        (m.model, m.serving) for m in answer.models
    }
    churn = next(m for m in answer.models if m.model == model("churn"))
    assert (churn.owner, churn.features) == (
        "growth-ml",
        ("urn:li:mlFeature:(customer_features,discount_sensitivity)",),
    )


async def test_models_are_those_of_a_check_that_drops_the_column() -> None:
    gone = FILES | {"ddl/orders.sql": "CREATE TABLE shop.raw.orders (order_id INT, customer_id INT, quantity INT);"}
    change = ChangeInputs(
        ReviewSubject(Repo(0, "")),
        Tree(FILES),
        Tree(gone),
        Tree(FILES),
        config=Config(found=True, dialect="snowflake"),
        changed=frozenset({"ddl/orders.sql"}),
    )
    checked = await assess(change, catalog=FakeCatalogReads(WORLD), isolation=InlineIsolation())
    answer = await ask(DISCOUNT, catalog=FakeCatalogReads(WORLD))
    reached = {trail.model for trail in checked.walk.trails if trail.model}

    assert reached
    assert reached == {m.model for m in answer.models}


async def test_json_has_the_keys_of_the_contract() -> None:
    found = what_if_json(await ask(DISCOUNT, catalog=FakeCatalogReads(WORLD)))

    assert {"relation", "column", "readers", "unknown", "models", "models_known"} == set(found)
    assert {"path", "line", "clause", "direct", "through"} == set(found["readers"][0])
    assert {"path", "why"} == set(found["unknown"][0])


async def test_text_shows_the_line_and_the_way() -> None:
    text = what_if_text(await ask(DISCOUNT, catalog=FakeCatalogReads(WORLD)))

    assert "  views/daily.sql:3  select: discount_pct / 100 AS rate  (through shop.a.stg_orders)" in text
    assert "MODEL  churn\n  owner         growth-ml" in text


async def test_an_unqualified_name_that_two_tables_may_have_is_unknown_with_its_line() -> None:
    both = "CREATE VIEW shop.a.b AS SELECT\n  region\nFROM shop.x.one JOIN shop.x.two ON one.k = two.k"
    answer = await ask("shop.x.one.region", views__b_sql=both)

    assert (answer.readers, [(u.path, u.line) for u in answer.unknown]) == ((), [("views/b.sql", 2)])


# --- what is meant -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "meant"),
    [
        ("shop.raw.orders.discount_pct", None, ("shop.raw.orders", "discount_pct")),
        ("raw.orders.discount_pct", None, ("shop.raw.orders", "discount_pct")),
        ("orders.discount_pct", None, ("shop.raw.orders", "discount_pct")),
        ("ORDERS.DISCOUNT_PCT", None, ("shop.raw.orders", "discount_pct")),
        ("shop.raw.orders", None, ("shop.raw.orders", None)),
        ("orders", "discount_pct", ("shop.raw.orders", "discount_pct")),
        ("orders", "*", ("shop.raw.orders", None)),
        ("here.shop.raw.orders.quantity", None, ("shop.raw.orders", "quantity")),
    ],
)
async def test_names_as_people_type_them(text: str, column: str | None, meant: tuple[str, str | None]) -> None:
    answer = await ask(text, column)

    assert meant == (answer.relation, answer.column)


@pytest.mark.parametrize(
    ("text", "column", "sentence"),
    [
        ("ordrs.discount_pct", None, "near are shop.raw.orders"),
        ("nothing", None, "relations are known"),
        ("ordrs", "x", "near are shop.raw.orders"),
        ("orders.discount", None, "has no column discount that anything names; there is discount_pct"),
        ("orders.zzz", None, "there is customer_id"),
        ("", None, "nothing in the repository or the catalog names"),
        ("...", None, "nothing in the repository or the catalog names"),
    ],
)
async def test_what_nothing_names_is_refused_with_what_is_near(text: str, column: str | None, sentence: str) -> None:
    with pytest.raises(Permanent, match=sentence):
        await ask(text, column)


async def test_several_relations_of_one_name_are_listed() -> None:
    with pytest.raises(Permanent, match=r"orders may be shop\.other\.orders, shop\.raw\.orders; write more"):
        await ask("orders.quantity", views__o_sql="CREATE TABLE shop.other.orders (quantity INT)")


async def test_relation_or_column_is_asked_back() -> None:
    """`raw.orders` ends the name of a table, and is a column of a table called `raw`."""
    table_named_raw = "CREATE TABLE shop.lake.raw (orders INT)"
    with pytest.raises(Permanent, match=r"--column '\*', or shop\.lake\.raw --column orders"):
        await ask("raw.orders", ddl__raw_sql=table_named_raw)
    answer = await ask("lake.raw", "orders", ddl__raw_sql=table_named_raw)

    assert (answer.relation, answer.column) == ("shop.lake.raw", "orders")


async def test_a_relation_of_the_catalog_alone_is_known() -> None:
    files = {".tether.yml": FILES[".tether.yml"]}
    answer = await ask_what_if(
        DISCOUNT, None, tree=Tree(files), catalog=FakeCatalogReads(WORLD), isolation=InlineIsolation()
    )

    assert (answer.relation, answer.column, answer.readers) == ("shop.raw.orders", "discount_pct", ())


async def test_a_file_that_could_not_be_read_at_all_is_unknown() -> None:
    tree = Tree(FILES, unread={"views/big.sql": "it is larger than 1 MB"})
    answer = await ask_what_if(DISCOUNT, None, tree=tree, catalog=None, isolation=InlineIsolation())

    assert ("views/big.sql", "it is larger than 1 MB") in [(u.path, u.why) for u in answer.unknown]
