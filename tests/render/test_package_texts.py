"""The packages' macros: which one an adapter gets, whose comes first, what is refused, what they keep to themselves."""

from __future__ import annotations

import pytest
from jinja2 import Environment, nodes

from app.render.dbt_packages import find_required, read_package
from app.render.packages import TEXTS
from app.words import Config, DbtConfig
from tests.render.trees import project, render, render_model, words


def of(dialect: str) -> Config:
    return Config(dialect=dialect, dbt=DbtConfig(database="db", schema="core"))


def select(call: str) -> str:
    return "".join(("select {{ ", call, " }} as r from t"))


def select_words(answer: str) -> str:
    return " ".join(("select", answer, "as r from t"))


# --- adapters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "call", "expected"),
    [
        ("snowflake", "dbt.dateadd('day', 1, 'p')", "dateadd('day', 1, p)"),
        ("databricks", "dbt.dateadd('day', 1, 'p')", "dateadd('day', 1, p)"),  # spark's, which is its parent
        ("bigquery", "dbt.dateadd('day', 1, 'p')", "zz_dateadd('day', 1, p)"),
        ("snowflake", "dbt.default__dateadd('day', 1, 'p')", "zz_dateadd('day', 1, p)"),
        ("bigquery", "dbt.snowflake__dateadd('day', 1, 'p')", "dateadd('day', 1, p)"),
        ("bigquery", "adapter.dispatch('dateadd', 'dbt')('day', 1, 'p')", "zz_dateadd('day', 1, p)"),
        ("snowflake", "adapter.dispatch('dateadd', 'dbt')('day', 1, 'p')", "dateadd('day', 1, p)"),
        ("snowflake", "fivetran_utils.quote_column({'name': 'p', 'quote': true})", '"P"'),
        ("postgres", "fivetran_utils.quote_column({'name': 'p', 'quote': true})", '"p"'),
        ("bigquery", "fivetran_utils.quote_column({'name': 'p', 'quote': true})", "`p`"),
    ],
)
def test_each_adapter_gets_its_own(dialect: str, call: str, expected: str) -> None:
    assert words(render_model(select(call), of(dialect))) == select_words(expected)


def test_duplicates_are_told_apart_without_qualify_where_that_is_not_read() -> None:
    query = "{{ dbt_utils.deduplicate(ref('a'), partition_by='p', order_by='q') }}"
    number = "row_number() over (partition by p order by q)"

    assert words(render_model(query, of("duckdb"))).endswith(f"qualify {number} = 1")
    for dialect in ("trino", "athena"):
        assert words(render_model(query, of(dialect))).endswith(f"where 1 = (select {number})")


# --- whose macro ------------------------------------------------------------------------------------------------------

DIVIDE = "dbt_utils.safe_divide('p', 'q')"
OURS = "(p) / nullif(q, 0)"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["default__safe_divide"], "default__safe_divide"),
        (["default__safe_divide", "snowflake__safe_divide"], "snowflake__safe_divide"),
        (["bigquery__safe_divide"], OURS),
        (["safe_divide"], OURS),  # adapter.dispatch looks for prefixes alone
    ],
)
def test_what_the_project_dispatches_comes_first(names: list[str], expected: str) -> None:
    macros = "\n".join(f"{{% macro {name}(a, b) %}}{name}{{% endmacro %}}" for name in names)

    text = render_model(select(DIVIDE), **{"macros/m.sql": macros})

    assert words(text) == select_words(expected)


def test_the_projects_macro_may_ask_for_the_packages() -> None:
    macro = "{% macro default__safe_divide(a, b) %}round({{ dbt_utils.default__safe_divide(a, b) }}){% endmacro %}"

    assert words(render_model(select(DIVIDE), **{"macros/m.sql": macro})) == select_words(f"round({OURS})")


def test_the_packages_call_what_the_project_has_in_place_of_theirs() -> None:
    macro = "{% macro default__star(from) %}only_these{% endmacro %}"
    model = "{{ fivetran_utils.union_connections('none_of_them', 's', 't') }}"

    text = render_model(model, **{"macros/m.sql": macro})

    assert words(text) == "select only_these from db.s.t as source_table"


def test_a_bare_name_is_the_projects_and_a_full_one_the_packages() -> None:
    macro = "{% macro length(x) %}own({{ x }}){% endmacro %}"

    text = render_model("select {{ length('p') }}, {{ dbt.length('p') }} from t", **{"macros/m.sql": macro})

    assert words(text) == "select own(p), length(p) from t"


@pytest.mark.parametrize(("folder", "expected"), [("macros", "theirs"), ("dbt_packages/kit/macros", OURS)])
def test_only_the_root_project_comes_before_the_package(folder: str, expected: str) -> None:
    """Also where a project that it installed calls it."""
    files = project(
        {
            "dbt_packages/kit/dbt_project.yml": "name: kit\n",
            "dbt_packages/kit/macros/k.sql": "".join(("{% macro rate() %}{{ ", DIVIDE, " }}{% endmacro %}")),
            f"{folder}/m.sql": "{% macro default__safe_divide(a, b) %}theirs{% endmacro %}",
            "models/m.sql": select("kit.rate()"),
        }
    )

    (text,) = render(files)

    assert words(text) == select_words(expected)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("dbt.length()", "length() is called without expression"),
        ("dbt.dateadd('day', from_date_or_timestamp='p')", "dateadd() is called without interval"),
        ("dbt.split_part('p')", "split_part() is called without delimiter_text, part_number"),
        ("dbt.length('p', 'q')", "takes not more than 1 argument"),
        ("dbt.length('p', of='q')", "takes no keyword argument 'of'"),
        ("dbt.length(env_var('COLUMN'))", "env_var('COLUMN') has no value"),
        ("dbt_utils.group_by(100000)", "dbt_utils.group_by() of that many columns"),
        ("dbt_utils.group_by(nobodys.number)", "dbt_utils.group_by() of that many columns"),
        ("dbt_utils.union_relations(nobodys.relations)", "of relations that only a database can list"),
        ("dbt_utils.union_relations([])", "of relations that only a database can list"),
        ("fivetran_utils.pivot_json_extract('p', [])", "of no properties"),
        ("fivetran_utils.remove_prefix_from_columns(['*'], 'x_')", "columns that this repository does not list"),
    ],
)
def test_a_call_that_cannot_be_answered_is_refused(call: str, reason: str) -> None:
    text = render_model(select(call))

    assert (text.sql, reason in str(text.why)) == ("", True), text


@pytest.mark.parametrize("package", ["dbt", "dbt_utils", "dbt_date", "fivetran_utils"])
def test_a_macro_that_a_package_is_not_known_to_have_stays_an_unknown_one(package: str) -> None:
    inside = render_model(select(f"{package}.strange('p', 'q')"))
    alone = render_model("".join(("{{ ", package, ".strange([('id', 'int')]) }}")))

    assert words(inside) == select_words(f"zz_{package}_strange(p, q)")
    assert alone.why == f"what the macro {package}_strange() reads cannot be told: it is in no file of this repository"


# --- what stays inside ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("tether.only('p')", "zz_tether_only(p)"),
        ("dbt_utils.tether.only('p')", "zz_dbt_utils_tether_only(p)"),
        ("dbt_utils['tether'].only('p')", "zz_dbt_utils_tether_only(p)"),
        ("builtins.tether.only('p')", "zz_builtins_tether_only(p)"),
        ("default__own()", "zz_tether_only(p)"),
        ("adapter.dispatch('star', 'dbt_utils')()", "zz_tether_only(p)"),
    ],
)
def test_what_serves_the_packages_is_out_of_a_projects_reach(call: str, shown: str) -> None:
    """Not even in a macro that stands in for one of theirs."""
    names = ("default__own", "default__star")
    macros = "\n".join(f"{{% macro {name}() %}}{{{{ tether.only('p') }}}}{{% endmacro %}}" for name in names)

    assert words(render_model(select(call), **{"macros/m.sql": macros})) == select_words(shown)


@pytest.mark.parametrize("member", ["_names", "_library", "__call__", "__class__"])
def test_a_macro_shows_nothing_of_itself(member: str) -> None:
    text = render_model(select(f"dbt_utils.star.{member}"))

    assert (text.sql, text.why is None) == ("", False)


def test_a_project_cannot_put_itself_in_its_place() -> None:
    files = project(
        {
            "macros/m.sql": "{% macro tether() %}mine{% endmacro %}{% macro default__tether() %}mine{% endmacro %}",
            "seeds/a.csv": "id,x\n",
            "models/m.sql": "select {{ dbt_utils.star(ref('a'), except=['x']) }}, {{ tether() }} from {{ ref('a') }}",
        },
        text="name: tether\nmodel-paths: [models]\nmacro-paths: [macros]\n",
    )

    (text,) = (text for text in render(files) if text.path == "models/m.sql")

    assert words(text) == "select id, mine from db.core.a"


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "required"),
    [
        ("macro m()", ""),
        ("-macro  m  ( a ,b )", "a b"),
        ("macro\n  m(\n    a,\n    b = none,\n)", "a"),
        ("macro m(a, b=',', c=\"x, y\", d)", "a d"),
        ("macro m(a, b='it\\'s, (so)', c=none)", "a"),
        ("macro m(a, b=[1, 2], c={'x': 1, 'y': 2}, d=(3, 4))", "a"),
        ("macro m(a, b=[[1, 2], [3]], c=((1, 2), 3))", "a"),
        ("macro m(a, b='macro n(x, y)')", "a"),
    ],
)
def test_required_parameters(head: str, required: str) -> None:
    text = "".join(("{%", head, " -%} {# macro n(z, y) #} {{ a }} {% endmacro %}"))

    assert find_required(text) == tuple(required.split())


@pytest.mark.parametrize("package", TEXTS)
def test_required_parameters_are_those_that_jinja_finds(package: str) -> None:
    reader = Environment(extensions=["jinja2.ext.do"], autoescape=True)  # only reads
    found = {macro.name: macro for macro in reader.parse(TEXTS[package]).find_all(nodes.Macro)}
    required = {
        name: tuple(arg.name for arg in macro.args[: len(macro.args) - len(macro.defaults)])
        for name, macro in found.items()
    }

    assert {name: find_required(macro.text) for name, macro in read_package(package).items()} == required
