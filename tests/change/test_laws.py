"""What must hold for any change: how a text is written and where it stands takes nothing away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.change.trees import Files, briefs, review
from tests.laws import examples

COLUMNS = ("order_id", "discount", "quantity", "region", "created_at")
TYPES = {
    "order_id": "bigint",
    "discount": "numeric",
    "quantity": "integer",
    "region": "text",
    "created_at": "timestamp",
}

names = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=5, unique=True)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """A table from two migrations, and a view and a CTAS over it."""
    columns = draw(names)
    late = draw(st.lists(st.sampled_from(columns), max_size=len(columns) - 1, unique=True)) if len(columns) > 1 else []
    first = [c for c in columns if c not in late]
    read = draw(st.lists(st.sampled_from(columns), min_size=1, unique=True))
    total = draw(st.sampled_from(columns))
    create = ",\n".join(f"    {c} {TYPES[c]}" for c in first)
    return {
        "migrations/0001_a.sql": f"CREATE TABLE public.t (\n{create}\n);\n",
        "migrations/0002_b.sql": "".join(f"ALTER TABLE public.t ADD COLUMN {c} {TYPES[c]};\n" for c in late),
        "views/v.sql": f"CREATE VIEW public.v AS\nSELECT {', '.join(read)}\nFROM public.t;\n",
        "features/f.sql": f"CREATE TABLE public.f AS\nSELECT count({total}) AS n\nFROM public.v2\nWHERE {total} > 0;\n",
    }


def nothing(base: Files, head: Files) -> bool:
    report = review(base, head)
    return briefs(report, positions=True) == [] and report.unknowns == ()


@examples(10)
@given(trees())
def test_an_equal_tree_takes_nothing_away(tree: dict[str, str]) -> None:
    assert nothing(tree, dict(tree))


@examples(10)
@given(trees(), st.sampled_from(["  ", "\n", "\t", " /* discount */ ", " -- DROP TABLE public.t\n"]))
def test_formatting_and_comments_take_nothing_away(tree: dict[str, str], gap: str) -> None:
    assert nothing(tree, {path: text.replace(" ", gap) for path, text in tree.items()})


@examples(8)
@given(trees(), st.sampled_from(["db/", "a/b/"]))
def test_moving_files_takes_nothing_away(tree: dict[str, str], folder: str) -> None:
    assert nothing(tree, {f"{folder}{path}": text for path, text in tree.items()})


@examples(8)
@given(trees())
def test_squashed_migrations_take_nothing_away(tree: dict[str, str]) -> None:
    squashed = {path: text for path, text in tree.items() if not path.startswith("migrations/")}
    squashed["migrations/0003_all.sql"] = tree["migrations/0001_a.sql"] + tree["migrations/0002_b.sql"]
    assert nothing(tree, squashed)


@examples(8)
@given(trees())
def test_the_order_of_independent_migrations_takes_nothing_away(tree: dict[str, str]) -> None:
    one, other = "CREATE TABLE public.x (a int);", "CREATE TABLE public.y (b int);"
    base = {**tree, "migrations/0003_x.sql": one, "migrations/0004_y.sql": other}
    assert nothing(base, {**tree, "migrations/0003_y.sql": other, "migrations/0004_x.sql": one})


@examples(8)
@given(trees())
def test_an_added_column_takes_nothing_away(tree: dict[str, str]) -> None:
    assert nothing(tree, {**tree, "migrations/0003_c.sql": "ALTER TABLE public.t ADD COLUMN extra text;"})


@examples(8)
@given(trees())
def test_a_renamed_cte_takes_nothing_away(tree: dict[str, str]) -> None:
    wrapped = "CREATE VIEW public.w AS WITH {0} AS (SELECT * FROM public.v) SELECT * FROM {0};"
    assert nothing({**tree, "views/w.sql": wrapped.format("a")}, {**tree, "views/w.sql": wrapped.format("b")})


@examples(10)
@given(trees(), st.sampled_from(COLUMNS))
def test_a_dropped_column_is_always_said_so(tree: dict[str, str], column: str) -> None:
    report = review(tree, {**tree, "migrations/0003_c.sql": f"ALTER TABLE public.t DROP COLUMN {column};"})
    assert f"column_dropped public.t.{column} block/stops" in briefs(report)


# --- how both sides are written changes nothing of what is taken away ----------------------------------------------------

CHANGES = (
    "ALTER TABLE public.t DROP COLUMN {c};",
    "ALTER TABLE public.t RENAME COLUMN {c} TO renamed;",
    "ALTER TABLE public.t ALTER COLUMN {c} TYPE bytea;",
    "DROP TABLE public.t;",
    "ALTER TABLE public.t DROP COLUMN {c}; ALTER TABLE public.t ADD COLUMN {c} {type};",
)


@st.composite
def changes(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str]]:
    tree = draw(trees())
    column = draw(st.sampled_from(COLUMNS))
    change = draw(st.sampled_from(CHANGES)).format(c=column, type=TYPES[column])
    return tree, {**tree, "migrations/0005_x.sql": change}


def taken(base: Files, head: Files) -> list[str]:
    report = review(base, head)
    assert report.unknowns == ()
    return briefs(report)


@examples(12)
@given(changes(), st.sampled_from(["  ", "\n", " /* discount */ ", " -- DROP TABLE public.t\n"]))
def test_formatting_of_a_change_changes_nothing(change: tuple[Files, Files], gap: str) -> None:
    base, head = change
    written = {path: text.replace(" ", gap) for path, text in head.items()}
    assert taken(base, head) == taken(base, written)


@examples(12)
@given(changes(), st.sampled_from(["db/", "a/b/"]))
def test_moving_all_files_changes_nothing(change: tuple[Files, Files], folder: str) -> None:
    base, head = change
    assert taken(base, head) == taken(base, {f"{folder}{path}": text for path, text in head.items()})


@examples(12)
@given(changes(), st.booleans())
def test_independent_migrations_beside_a_change_change_nothing(
    change: tuple[Files, Files],
    swapped: bool,  # noqa: FBT001 - drawn
) -> None:
    base, head = change
    one, other = "CREATE TABLE public.x (a int);", "CREATE TABLE public.y (b int);"
    first, second = (other, one) if swapped else (one, other)
    around = {"migrations/0004_x.sql": first, "migrations/0006_y.sql": second}
    assert taken(base, head) == taken(base, {**head, **around})


@examples(12)
@given(changes(), st.sampled_from(COLUMNS))
def test_the_name_of_a_cte_changes_nothing(change: tuple[Files, Files], column: str) -> None:
    base, head = change
    wrapped = "CREATE VIEW public.w AS WITH {0} AS (SELECT {1} FROM public.t) SELECT {1} FROM {0};"
    before = {**base, "views/w.sql": wrapped.format("a", column)}
    after = {**head, "views/w.sql": wrapped.format("a", column)}
    assert taken(before, after) == taken(before, {**after, "views/w.sql": wrapped.format("b", column)})


@examples(12)
@given(changes(), st.sampled_from(["a/", "z/deep/"]))
def test_moving_a_file_beside_a_change_changes_nothing(change: tuple[Files, Files], folder: str) -> None:
    base, head = change
    moved = {f"{folder}{path}" if path.startswith("views/") else path: text for path, text in head.items()}
    assert taken(base, head) == taken(base, moved)


@examples(12)
@given(changes())
def test_one_file_or_two_for_a_change_are_the_same(change: tuple[Files, Files]) -> None:
    base, head = change
    statements = head["migrations/0005_x.sql"].split(";")
    split = {path: text for path, text in head.items() if path != "migrations/0005_x.sql"}
    split |= {f"migrations/{5 + n:04}_x.sql": f"{text};" for n, text in enumerate(statements) if text.strip()}
    assert taken(base, head) == taken(base, split)


@examples(10)
@given(st.text(max_size=200))
def test_no_text_is_met_with_silence_or_a_crash(text: str) -> None:
    """Whatever replaces a view's file: its relation is lost, unchanged, or the file is named as unread."""
    base = {"views/v.sql": "CREATE VIEW public.v AS SELECT a FROM public.t;"}
    report = review(base, {"views/v.sql": text})
    assert report.removals or report.unknowns


@pytest.mark.parametrize("first", ["a", "b"])
def test_either_of_two_equal_statements_is_enough(first: str) -> None:
    text = "CREATE VIEW public.v AS SELECT a FROM public.t;"
    assert nothing({"a.sql": text, "b.sql": text}, {f"{first}.sql": text})
