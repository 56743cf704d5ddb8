"""Lines beside the one that takes something away: where it stood, where it went, which macro changed."""

from __future__ import annotations

from app.change import Removal, RemovalReport, find_removals, find_schema
from app.words import CatalogNaming, Config
from tests.change.trees import Files, parse_tree, review

PROJECT = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\nmacro-paths: [macros]\n"
}
CONFIG = Config(found=True, dialect="snowflake", catalog=CatalogNaming(database="shop"))


def render(base: Files, head: Files) -> RemovalReport:
    """With the texts of all files, as the shell hands them over."""
    known = find_schema(parse_tree(base, CONFIG, {}, "snowflake"), {})
    return find_removals(
        parse_tree(base, CONFIG, known, "snowflake"),
        parse_tree(head, CONFIG, known, "snowflake"),
        changed=frozenset(path for path in {*base, *head} if base.get(path) != head.get(path)) | {"models/m.sql"},
        catalog={},
        config=CONFIG,
        texts=(base, head),
    )


def only(report: RemovalReport, kind: str) -> Removal:
    (removal,) = [removal for removal in report.removals if removal.kind == kind]
    return removal


def test_a_relation_that_goes_keeps_the_lines_of_its_columns() -> None:
    base = {"views/v.sql": "CREATE VIEW public.v AS\nSELECT a,\n       b\nFROM public.t;\n"}
    removal = only(review(base, {}), "definition_deleted")
    assert [(name, line.line, line.text, line.side) for name, line in removal.columns] == [
        ("a", 2, "SELECT a,", "base"),
        ("b", 3, "b", "base"),
    ]


def test_a_dropped_table_has_the_lines_of_its_columns() -> None:
    base = {"migrations/0001_t.sql": "CREATE TABLE public.t (\n  a int,\n  b int\n);\n"}
    removal = only(review(base, {**base, "migrations/0002_x.sql": "DROP TABLE public.t;"}), "relation_dropped")
    assert [(name, line.path, line.line) for name, line in removal.columns] == [
        ("a", "migrations/0001_t.sql", 2),
        ("b", "migrations/0001_t.sql", 3),
    ]


def test_where_a_column_went_is_told() -> None:
    base = {"views/v.sql": "CREATE VIEW public.v AS SELECT a, b FROM public.t;"}
    head = {
        "views/v.sql": "CREATE VIEW public.v AS SELECT a FROM public.t;",
        "views/w.sql": "CREATE VIEW public.w AS\nSELECT a,\n       b FROM public.t;",
    }
    removal = only(review(base, head), "output_removed")
    assert [(line.path, line.line, line.side) for line in removal.related] == [("views/w.sql", 3, "head")]


def test_another_column_of_that_name_is_not_where_it_went() -> None:
    base = {"views/v.sql": "CREATE VIEW public.v AS SELECT a, b FROM public.t;"}
    head = {
        "views/v.sql": "CREATE VIEW public.v AS SELECT a FROM public.t;",
        "views/w.sql": "CREATE VIEW public.w AS SELECT b FROM public.other;",
    }
    assert only(review(base, head), "output_removed").related == ()


MACRO = "{% macro columns() %}\n  a,\n  b,\n  c\n{% endmacro %}\n"
MODEL = {"models/m.sql": "select\n{{ columns() }}\nfrom shop.raw.t\n"}


def test_the_macro_that_took_a_column_away_is_told() -> None:
    base = {**PROJECT, **MODEL, "macros/columns.sql": MACRO}
    removal = only(render(base, {**base, "macros/columns.sql": MACRO.replace("  b,\n", "")}), "output_removed")
    assert (removal.column, removal.evidence.path, removal.evidence.line) == ("b", "models/m.sql", 2)
    assert [(line.path, line.line, line.text, line.side) for line in removal.related] == [
        ("macros/columns.sql", 3, "b,", "base")
    ]


def test_a_macro_is_not_held_against_a_model_that_was_edited_itself() -> None:
    base = {**PROJECT, "models/m.sql": "select a, b from shop.raw.t\n", "macros/columns.sql": MACRO}
    head = {**PROJECT, "models/m.sql": "select a from shop.raw.t\n", "macros/columns.sql": MACRO.replace("  b,\n", "")}
    assert only(render(base, head), "output_removed").related == ()
