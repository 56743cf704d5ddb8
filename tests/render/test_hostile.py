"""Hostile templates: each costs only its own file, shows nothing of Python, and ends by itself or with its process."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.edges.isolation import ChildLimits, ChildPool
from app.render import SqlText
from app.render.limits import MAX_OUTPUT
from app.source.rendering import RenderItem
from app.source.rendering import render as render_item
from tests.laws import examples
from tests.render import hostile
from tests.render.trees import CONFIG, project, render

KINDS = {**hostile.ESCAPES, **hostile.GROWTH, **hostile.SPIN}
#: what Python shows of itself in a text
PYTHON = ("<class", "<function", "<built-in", "<bound", "<module", "object at 0x", "root:", "jinja2", "app.render")


def tree(template: str) -> dict[str, str]:
    files = {"macros/h.sql": hostile.MACROS, "models/m.sql": template, "models/ok.sql": "select {{ 1 }} as a"}
    return project(files, text=hostile.PROJECT)


def test_there_are_enough_kinds() -> None:
    assert len(KINDS) >= 55


@pytest.mark.parametrize("kind", KINDS)
def test_in_this_process(kind: str) -> None:
    """The limits of this room alone: nothing here may need the process to be killed."""
    first, other = render(tree(KINDS[kind]))

    assert (first.path, other.path) == ("models/m.sql", "models/ok.sql")
    assert (other.why, other.sql) == (None, "select 1 as a")
    assert len(first.sql) <= MAX_OUTPUT
    assert not any(sign in f"{first.sql}{first.why}" for sign in PYTHON)


@pytest.mark.parametrize("kind", hostile.ESCAPES)
def test_escapes_are_refused_by_name(kind: str) -> None:
    assert render(tree(hostile.ESCAPES[kind]))[0].why is not None


#: the last one is refused or rendered, as Python's stack allows
QUIET = {"lipsum", "unknown call in a loop", "long concatenation", "iterating a query", "filter chain"}


@pytest.mark.parametrize("kind", sorted((hostile.GROWTH.keys() | hostile.SPIN.keys()) - QUIET))
def test_growing_and_spinning_are_refused_with_a_reason(kind: str) -> None:
    first, _ = render(tree(KINDS[kind]))

    assert first.why
    assert first.sql == ""


def test_in_child_processes() -> None:
    """What grows or spins, in a pool with hard limits: every tree comes back, whatever the other trees do."""
    kinds = {**hostile.GROWTH, **hostile.SPIN}

    async def run() -> tuple[object, ...]:
        pool = ChildPool(size=2, limits=ChildLimits(cpu_seconds=20, wall_seconds=60, memory_bytes=1024**3))
        try:
            return await pool.run(render_item, [RenderItem(tree(template), CONFIG) for template in kinds.values()])
        finally:
            await pool.close()

    answers = asyncio.run(run())

    assert len(kinds) == len(answers)
    for kind, answer in zip(kinds, answers, strict=True):
        assert isinstance(answer, tuple), f"{kind}: {answer}"
        assert isinstance(answer[1], SqlText)
        assert answer[1].sql == "select 1 as a"


NAMES = st.sampled_from([
    *("ref", "source", "var", "config", "this", "target", "adapter", "api", "modules", "dbt", "dbt_utils", "model", "graph"),
    *("flags", "range", "namespace", "x", "exceptions"),
])  # fmt: skip
WORDS = st.sampled_from([
    *("name", "schema", "get_relation", "columns", "values", "items", "format", "join", "append", "update", "__class__"),
    *("_x", "star"),
])  # fmt: skip
ATOMS = st.one_of(
    NAMES, st.integers(-3, 10**6).map(str), st.sampled_from(["'a'", "''", "[]", "{}", "none", "true", "'%s'"])
)
OPERATORS = st.sampled_from(["+", "-", "*", "**", "%", "~", "==", "<", "in", "and", "or"])
FILTERS = st.sampled_from([
    *("upper", "length", "list", "join", "tojson", "first", "sort", "map", "string", "int", "replace"),
])  # fmt: skip


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, WORDS).map(lambda p: f"{p[0]}.{p[1]}"),
        st.tuples(inner, inner).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]})[{p[1]}]"),
        st.tuples(inner, OPERATORS, inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(inner, FILTERS).map(lambda p: f"({p[0]})|{p[1]}"),
    )


@examples(100)
@given(st.recursive(ATOMS, _grow, max_leaves=8))
def test_no_expression_harms_the_others(expression: str) -> None:
    first, other = render(tree(f"select {{{{ {expression} }}}}{{% for q in {expression} %}}{{{{ q }}}}{{% endfor %}}"))

    assert (other.why, other.sql) == (None, "select 1 as a")
    assert not any(
        sign in first.sql for sign in ("<class", "<function", "<built-in", "<bound", "<module", "object at 0x")
    )


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=5),
    st.sampled_from(["models", "../..", "{{ x", "{{ 1 }}"]),
)
INNER_KEYS = st.sampled_from(["name", "shop", "+schema", "config"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(INNER_KEYS, inner)), max_leaves=6
)
KEYS = st.sampled_from(
    [
        "name",
        "vars",
        "models",
        "seeds",
        "snapshots",
        "sources",
        "model-paths",
        "macro-paths",
        "version",
        "target-path",
        "config",
    ]
)


@examples(80)
@given(st.dictionaries(KEYS, VALUES), st.dictionaries(KEYS, VALUES))
def test_no_yaml_breaks_the_tree(of_project: dict[str, object], of_models: dict[str, object]) -> None:
    import json  # noqa: PLC0415 - JSON is YAML, and only this test writes some

    files = {
        "a/dbt_project.yml": json.dumps(of_project),
        "a/models/_.yml": json.dumps(of_models),
        "a/models/m.sql": "select {{ ref('n') }}",
        "b/plain.sql": "select 1",
    }

    assert render(files)[-1].sql == "select 1"
