"""Input that cannot be judged: a reason with path and line, never a crash, never silence."""

from __future__ import annotations

import time

import pytest

from app.change import ParseItem, find_removals, parse_file
from app.render import SqlText
from app.words import Config
from tests.change.trees import briefs, parse_tree, review

TABLE = {"migrations/0001_t.sql": "CREATE TABLE public.t (a int, b int);"}
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n"


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        ("ALTER TABLE public.t DROP", 1),
        ("ALTER TABLE public.t\n  RENAME COLUMN a", 2),
        ("SELECT 1;\nALTER TABLE public.t FROBNICATE;", 2),
        ("ALTER TABLE public.t DROP COLUMN 'a", 1),
        ("CREATE TABLE public.u (a int", 1),
        ("CREATE VIEW public.v AS SELECT FROM WHERE (", 1),
        ("DO $$ BEGIN EXECUTE 'ALTER TABLE ' || x; END $$;", 1),
        ("CALL tidy_up();", 1),
        ("<<<<<<< HEAD\nALTER TABLE public.t DROP COLUMN a;\n=======\n>>>>>>> branch\n", 1),
        (LFS, 1),
        ("\0\1\2", 1),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, 1),
        ("-- " + "x" * 1_000_001, 1),
        ("{{ unclosed", 1),
    ],
    ids=lambda value: str(value)[:40],
)
def test_new_sql_that_cannot_be_read_is_named(sql: str, line: int) -> None:
    report = review(TABLE, {**TABLE, "migrations/0002_x.sql": sql})
    assert ("migrations/0002_x.sql", line) in [(unknown.path, unknown.line) for unknown in report.unknowns]
    assert all(unknown.why for unknown in report.unknowns)


def test_what_was_unreadable_before_and_did_not_change_is_no_news() -> None:
    tree = {**TABLE, "jobs/tidy.sql": "CALL tidy_up();", "jobs/half.sql": "SELECT FROM WHERE ("}
    report = review(tree, {**tree, "migrations/0002_x.sql": "ALTER TABLE public.t DROP COLUMN a;"})
    assert report.unknowns == ()


def test_a_comment_beside_an_unreadable_statement_is_no_news() -> None:
    base = {"jobs/tidy.sql": "CALL tidy_up();"}
    assert review(base, {"jobs/tidy.sql": "-- every night\nCALL tidy_up();"}).unknowns == ()


def test_moving_an_unreadable_file_is_no_news() -> None:
    text = "SELECT FROM WHERE ("
    assert review({"a/half.sql": text}, {"b/half.sql": text}).unknowns == ()


def test_an_unreadable_statement_that_was_taken_out_is_named() -> None:
    (unknown,) = review({"jobs/tidy.sql": "CALL tidy_up();"}, {"jobs/tidy.sql": "SELECT 1;"}).unknowns
    assert (unknown.path, unknown.line) == ("jobs/tidy.sql", 1)


def test_a_deleted_unreadable_file_is_named() -> None:
    (unknown,) = review({"jobs/half.sql": "SELECT FROM WHERE ("}, {}).unknowns
    assert unknown.path == "jobs/half.sql"


def test_two_migrations_with_one_number_have_no_order() -> None:
    head = {**TABLE, "migrations/0002_a.sql": "SELECT 1;", "migrations/0002_b.sql": "SELECT 2;"}
    (unknown,) = review(TABLE, head).unknowns
    assert "0002_b.sql" in unknown.why


def test_an_old_pair_with_one_number_is_no_news() -> None:
    base = {**TABLE, "migrations/0002_a.sql": "SELECT 1;", "migrations/0002_b.sql": "SELECT 2;"}
    assert review(base, {**base, "migrations/0003_c.sql": "SELECT 3;"}).unknowns == ()


def test_a_migration_in_python_is_named() -> None:
    path = "shop/migrations/0002_drop.py"
    (unknown,) = review({}, {path: "operations = [migrations.RemoveField('order', 'discount')]"}).unknowns
    assert unknown.path == path


def test_a_file_that_is_migration_and_definition_counts_as_both() -> None:
    base = {
        "migrations/0001_t.sql": "CREATE TABLE public.t (a int, b int);\nCREATE VIEW public.v AS SELECT a, b FROM public.t;"
    }
    head = {**base, "migrations/0002_v.sql": "CREATE OR REPLACE VIEW public.v AS SELECT a FROM public.t;"}
    assert briefs(review(base, head)) == ["output_removed public.v.b block/stops"]


def test_case_only_renames() -> None:
    report = review(TABLE, {**TABLE, "migrations/0002_x.sql": "ALTER TABLE public.t RENAME COLUMN a TO A;"})
    assert (report.removals, report.unknowns) == ((), ())
    report = review(TABLE, {**TABLE, "migrations/0002_x.sql": 'ALTER TABLE public.t RENAME COLUMN a TO "A";'})
    assert briefs(report) == ['column_renamed public.t.a -> "A" block/stops']


def test_an_unfinished_rendering_is_the_reason() -> None:
    text = SqlText("models/m.sql", "", (), kind="model", relation="shop.mart.m", why="the macro loops for ever")
    parsed = parse_file(ParseItem(text, "definition", "snowflake"))
    assert [unknown.why for unknown in parsed.unknowns] == ["the macro loops for ever"]
    assert parsed.relation == "shop.mart.m"


def test_a_thousand_changed_files_are_compared_in_seconds() -> None:
    text = "CREATE VIEW public.v AS SELECT a, b FROM public.t;"
    base = {f"views/v{n}.sql": text.replace("public.v", f"public.v{n}") for n in range(1000)}
    head = {path: sql.replace(", b", "") for path, sql in base.items()}
    config = Config(found=True, dialect="postgres")
    before, after = parse_tree(base, config, {}, "postgres"), parse_tree(head, config, {}, "postgres")
    started = time.process_time()
    report = find_removals(before, after, changed=frozenset(base), catalog={}, config=config)
    assert len(report.removals) == 1000
    assert time.process_time() - started < 7  # one second on an idle machine
