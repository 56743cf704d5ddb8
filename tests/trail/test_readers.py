"""Who reads a column: directly, through other statements, through stars and positions; each place once, cycles end."""

from __future__ import annotations

import pytest

from app.trail import Naming, find_readers, find_unread
from app.words import Config, Schema
from tests.build import dataset, drop, feature, index, opaque, readers

Row = tuple[str, int, str, tuple[str, ...]]
NO_CATALOG = Naming.of((), Config())
COLUMN = "shop.raw.orders.discount_pct"


def ask(files: dict[str, str], name: str = COLUMN, schema: Schema | None = None, *, certain: bool = True) -> list[Row]:
    """(path, line, clause, through) of every reader that is `certain`, in the order of the answer."""
    relation, _, column = name.rpartition(".")
    sql = index(*(readers(text, path=path, schema=schema) for path, text in files.items()))
    found = find_readers(sql, NO_CATALOG, relation, column, schema=schema)
    return [(f.path, f.line, f.clause, f.through) for f in found if f.certain is certain]


def ask_whole(files: dict[str, str], relation: str) -> list[Row]:
    sql = index(*(readers(text, path=path) for path, text in files.items()))
    found = find_readers(sql, NO_CATALOG, relation, None)
    return [(f.path, f.line, f.clause, f.through) for f in found]


def test_a_written_name_is_a_direct_reader() -> None:
    files = {"v.sql": "CREATE VIEW shop.a.v AS\nSELECT order_id,\n  discount_pct AS d\nFROM shop.raw.orders"}

    assert ask(files) == [("v.sql", 3, "select", ())]


def test_other_columns_and_other_relations_are_not_read() -> None:
    files = {
        "a.sql": "CREATE VIEW shop.a.v AS SELECT order_id FROM shop.raw.orders",
        "b.sql": "CREATE VIEW shop.a.w AS SELECT discount_pct FROM shop.other.orders",
    }

    assert ask(files) == []


def test_what_is_computed_from_it_is_followed_and_its_neighbours_are_not() -> None:
    files = {
        "stage.sql": "CREATE VIEW shop.a.stage AS SELECT order_id AS id, discount_pct AS d FROM shop.raw.orders",
        "reads.sql": "CREATE VIEW shop.a.reads AS SELECT d FROM shop.a.stage",
        "other.sql": "CREATE VIEW shop.a.other AS SELECT id FROM shop.a.stage",
    }

    assert ask(files) == [("stage.sql", 1, "select", ()), ("reads.sql", 1, "select", ("shop.a.stage",))]


def test_a_filter_reaches_every_output() -> None:
    files = {
        "stage.sql": "CREATE VIEW shop.a.stage AS\nSELECT order_id AS id FROM shop.raw.orders\nWHERE discount_pct > 0",
        "other.sql": "CREATE VIEW shop.a.other AS SELECT id FROM shop.a.stage",
        "count.sql": "CREATE VIEW shop.a.number AS SELECT count(*) AS n FROM shop.a.stage",
    }

    assert ask(files) == [
        ("stage.sql", 3, "where", ()),
        ("count.sql", 1, "from", ("shop.a.stage",)),
        ("other.sql", 1, "select", ("shop.a.stage",)),
    ]


@pytest.mark.parametrize(
    "clause",
    ["JOIN shop.raw.c ON c.k = o.discount_pct", "GROUP BY o.order_id, o.discount_pct", "ORDER BY o.discount_pct"],
)
def test_join_group_and_order_reach_every_output(clause: str) -> None:
    stage = " ".join(["CREATE VIEW shop.a.stage AS SELECT o.order_id AS id FROM shop.raw.orders o", clause])
    files = {"stage.sql": stage, "other.sql": "CREATE VIEW shop.a.other AS SELECT id FROM shop.a.stage"}

    assert ("other.sql", 1, "select", ("shop.a.stage",)) in ask(files)


def test_a_star_reads_it_and_carries_its_name() -> None:
    files = {
        "all.sql": "CREATE VIEW shop.a.everything AS\nSELECT *\nFROM shop.raw.orders",
        "reads.sql": "CREATE VIEW shop.a.reads AS SELECT discount_pct FROM shop.a.everything",
        "other.sql": "CREATE VIEW shop.a.other AS SELECT order_id FROM shop.a.everything",
    }
    expected = [("all.sql", 2, "select", ()), ("reads.sql", 1, "select", ("shop.a.everything",))]

    assert expected == ask(files)
    assert expected == ask(files, schema={"shop.raw.orders": {"order_id": "INT", "discount_pct": "FLOAT"}})


def test_a_star_without_it_does_not() -> None:
    known = {"shop.raw.orders": {"order_id": "INT", "discount_pct": "FLOAT"}, "shop.raw.c": {"k": "INT"}}
    files = {
        "c.sql": "CREATE VIEW shop.a.c AS SELECT c.* FROM shop.raw.c c JOIN shop.raw.orders o ON c.k = o.order_id",
        "x.sql": "CREATE VIEW shop.a.x AS SELECT * EXCLUDE (discount_pct) FROM shop.raw.orders",
        "y.sql": "CREATE VIEW shop.a.y AS SELECT order_id FROM shop.a.x",
    }

    assert ask(files, schema=known) == [("x.sql", 1, "exclude", ())]


def test_an_insert_by_position_fills_what_the_schema_says() -> None:
    files = {
        "load.sql": "INSERT INTO shop.a.target SELECT order_id, discount_pct FROM shop.raw.orders",
        "hit.sql": "CREATE VIEW shop.a.hit AS SELECT rate FROM shop.a.target",
        "miss.sql": "CREATE VIEW shop.a.miss AS SELECT id FROM shop.a.target",
    }
    known = {"shop.a.target": {"id": "INT", "rate": "FLOAT"}}

    assert ask(files, schema=known) == [("load.sql", 1, "select", ()), ("hit.sql", 1, "select", ("shop.a.target",))]


def test_who_counts_the_columns_reads_the_relation_that_loses_one() -> None:
    files = {
        "load.sql": "INSERT INTO shop.a.target\nSELECT t.* FROM (SELECT order_id, discount_pct FROM shop.raw.orders) t"
    }

    assert ask(files) == [("load.sql", 2, "select", ())]
    assert ask({"all.sql": "INSERT INTO shop.a.target SELECT * FROM shop.raw.orders"}) == [("all.sql", 1, "insert", ())]


def test_a_cycle_ends_and_each_place_stands_once() -> None:
    files = {
        "a.sql": "CREATE VIEW shop.a.a AS SELECT discount_pct AS x FROM shop.raw.orders UNION ALL SELECT x FROM shop.a.b",
        "b.sql": "CREATE VIEW shop.a.b AS SELECT x FROM shop.a.a",
    }
    found = ask(files)

    assert [(path, through) for path, _, _, through in found] == [("a.sql", ()), ("b.sql", ("shop.a.a",))]
    assert len(found) == len({row[:3] for row in found})


def test_the_nearest_way_is_told() -> None:
    files = {
        "far.sql": "CREATE VIEW shop.a.far AS SELECT discount_pct AS x FROM shop.raw.orders",
        "farther.sql": "CREATE VIEW shop.a.farther AS SELECT x FROM shop.a.far",
        "end.sql": "CREATE VIEW shop.a.z AS SELECT o.discount_pct + f.x AS y FROM shop.raw.orders o, shop.a.farther f",
    }

    assert ("end.sql", 1, "select", ()) in ask(files)
    assert len([row for row in ask(files) if row[0] == "end.sql"]) == 1


def test_a_temporary_table_is_known_in_its_own_file_alone() -> None:
    files = {
        "a.sql": "CREATE TEMP TABLE t AS SELECT discount_pct AS x FROM shop.raw.orders;\nCREATE VIEW shop.a.v AS SELECT x FROM t",
        "b.sql": "CREATE VIEW shop.a.w AS SELECT x FROM t",
    }

    assert ask(files) == [("a.sql", 1, "select", ()), ("a.sql", 2, "select", ("t",))]


def test_an_unqualified_name_of_two_tables_is_not_certain_and_what_follows_neither() -> None:
    files = {
        "a.sql": "CREATE VIEW shop.a.v AS SELECT discount_pct AS x FROM shop.raw.orders o JOIN shop.raw.c c ON o.id = c.id",
        "b.sql": "CREATE VIEW shop.a.w AS SELECT x FROM shop.a.v",
    }

    assert ask(files) == []
    assert [row[0] for row in ask(files, certain=False)] == ["a.sql", "b.sql"]


def test_a_doubt_never_hides_a_sure_reader() -> None:
    files = {
        "a.sql": "CREATE VIEW shop.a.v AS SELECT discount_pct AS x FROM shop.raw.orders o JOIN shop.raw.c c ON o.id = c.id",
        "b.sql": "CREATE VIEW shop.a.y AS SELECT o.discount_pct AS x FROM shop.raw.orders o",
        "c.sql": "CREATE VIEW shop.a.z AS SELECT v.x AS p, y.x AS q FROM shop.a.v v JOIN shop.a.y y ON v.k = y.k",
    }

    assert {"b.sql", "c.sql"} == {row[0] for row in ask(files)}


def test_the_whole_relation_is_read_by_whoever_names_it() -> None:
    files = {
        "a.sql": "CREATE VIEW shop.a.v AS SELECT order_id AS x FROM shop.raw.orders",
        "b.sql": "CREATE VIEW shop.a.w AS SELECT 1 AS one FROM shop.raw.orders",
        "c.sql": "CREATE VIEW shop.a.u AS SELECT x FROM shop.a.v",
    }

    assert ask_whole(files, "shop.raw.orders") == [
        ("a.sql", 1, "select", ()),
        ("b.sql", 1, "from", ()),
        ("c.sql", 1, "select", ("shop.a.v",)),
    ]


def test_two_spellings_of_one_dataset_are_one_relation() -> None:
    naming = Naming.of([dataset("shop.raw.orders")], Config())
    sql = index(readers("CREATE VIEW shop.a.v AS SELECT discount_pct FROM raw.orders", path="v.sql"))
    found = find_readers(sql, naming, "shop.raw.orders", "discount_pct")

    assert [(f.path, f.direct, f.certain) for f in found] == [("v.sql", True, True)]


def test_a_writer_is_no_reader() -> None:
    assert ask({"w.sql": "INSERT INTO shop.raw.orders (order_id, discount_pct) VALUES (1, 2)"}) == []


# --- files that could not be understood ----------------------------------------------------------------------------


def unread(*files: str, sql: str = "", config: Config | None = None, features: tuple[str, ...] = ()) -> list[str]:
    held = index(readers(sql) if sql else (), opaque=[opaque(f"f{n}.py", words) for n, words in enumerate(files)])
    lost = drop(COLUMN)
    found = find_unread(held, NO_CATALOG, lost, features=features, config=config or Config())
    return [file.path for file in found]


def test_an_unread_file_counts_when_it_mentions_column_and_relation() -> None:
    assert unread("orders discount_pct x", "orders y", "discount_pct z") == ["f0.py"]


def test_an_unread_file_counts_further_down_too() -> None:
    stage = "CREATE VIEW shop.a.stage AS SELECT discount_pct AS d FROM shop.raw.orders"

    assert unread("stage d", "stage e", sql=stage) == ["f0.py"]


def test_an_unread_file_may_name_a_feature_instead() -> None:
    known = (feature("customer_features.discount_sensitivity"),)

    assert unread("discount_pct discount_sensitivity", features=known) == ["f0.py"]
    assert unread("discount_pct discount_sensitivity") == []
