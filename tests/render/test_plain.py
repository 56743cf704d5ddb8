"""Which files give SQL, in which order, and what a file says that gives none."""

from __future__ import annotations

import pytest

from app.render import SqlText, render_tree
from app.words import Config, Root
from tests.render.trees import CONFIG, project, render


def test_plain_sql_is_itself_line_by_line() -> None:
    (text,) = render_tree({"db/V1__a.sql": "create table a (b int);\n"}, Config())

    assert SqlText("db/V1__a.sql", "create table a (b int);\n", (1, 2)) == text


def test_answers_stand_in_the_order_of_the_paths() -> None:
    files = project(
        {"z.sql": "select 1", "models/b.sql": "select 2", "models/a.sql": "select {{ 3 }}", "a.ddl": "select 4"}
    )

    assert [text.path for text in render(files)] == ["a.ddl", "models/a.sql", "models/b.sql", "z.sql"]


def test_rendering_twice_gives_the_same() -> None:
    files = project(
        {"models/a.sql": "{% for x in ['b', 'c'] %}{{ x }},{% endfor %} {{ zz() }}", "models/b.sql": "select 1"}
    )

    assert render(files) == render(dict(reversed(files.items())))


@pytest.mark.parametrize(
    "path",
    [
        "target/compiled/m.sql",
        "dbt_packages/x/models/m.sql",
        "dbt_modules/x/models/m.sql",
        "analyses/a.sql",
        "tests/t.sql",
        "macros/m.sql",
        "models/notes.md",
    ],
)
def test_what_dbt_never_builds_gives_no_text(path: str) -> None:
    assert render(project({path: "select {{ ref('x') }}", "models/_.yml": "version: 2\n"})) == ()


def test_an_installed_package_gives_no_text_but_its_macros_and_models() -> None:
    files = project(
        {
            "dbt_packages/tools/dbt_project.yml": "name: tools\n",
            "dbt_packages/tools/macros/m.sql": "{% macro half(x) %}({{ x }} / 2){% endmacro %}",
            "dbt_packages/tools/models/calendar.sql": "select 1 as d",
            "models/m.sql": "select {{ tools.half('a') }} from {{ ref('calendar') }}",
        }
    )

    (text,) = render(files)

    assert (text.path, text.sql) == ("models/m.sql", "select (a / 2) from db.core.calendar")


def test_a_folder_of_tests_outside_dbt_is_plain_sql() -> None:
    assert [text.path for text in render({"tests/t.sql": "select 1"})] == ["tests/t.sql"]


def test_an_ignored_root_gives_no_text() -> None:
    config = Config(roots=(Root("old", "ignore"),))
    files = {
        "old/a.sql": "select 1",
        "old/dbt_project.yml": "name: x\n",
        "old/models/m.sql": "select 1",
        "b.sql": "select 1",
    }

    assert [text.path for text in render_tree(files, config)] == ["b.sql"]


def test_plain_sql_beside_the_models_of_a_project_has_no_relation() -> None:
    (text,) = render(project({"scripts/load.sql": "insert into a select 1"}))

    assert (text.kind, text.relation) == ("plain", None)


def test_every_project_of_a_repository_is_a_root() -> None:
    files = {
        "a/dbt_project.yml": "name: a\n",
        "a/models/x.sql": "select * from {{ ref('y') }}",
        "b/dbt_project.yml": "name: b\nmodel-paths: [sql]\n",
        "b/sql/y.sql": "select 1 as c",
    }

    texts = {text.path: text for text in render(files)}

    assert {p: t.relation for p, t in texts.items()} == {"a/models/x.sql": "db.core.x", "b/sql/y.sql": "db.core.y"}
    assert texts["a/models/x.sql"].sql == "select * from db.core.y"


def test_a_broken_template_stops_no_other() -> None:
    broken, fine = render(project({"models/a.sql": "select\n{% if %}", "models/b.sql": "select 1"}))

    assert broken.why is not None
    assert broken.why.startswith("line 2: ")
    assert (broken.why_line, broken.sql, broken.lines) == (2, "", ())
    assert (fine.why, fine.sql) == (None, "select 1")


def test_a_broken_project_file_makes_its_models_unknown() -> None:
    (text,) = render(project({"models/a.sql": "select 1"}, text="name: [shop\n"))

    assert text.why is not None
    assert "dbt_project.yml line" in text.why


def test_a_broken_property_file_says_so() -> None:
    broken, model = render(project({"models/_schema.yml": "models:\n  - name: [x\n", "models/a.sql": "select 1"}))

    assert (broken.path, broken.kind) == ("models/_schema.yml", "plain")
    assert broken.why is not None
    assert "not YAML" in broken.why
    assert model.why is None


def test_a_yaml_bomb_says_so() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 10)}]\n" for i in range(8)
    )

    broken, _ = render(project({"models/_bomb.yml": bomb, "models/a.sql": "select 1"}))

    assert broken.why is not None
    assert "too many values" in broken.why


def test_a_python_model_owns_its_relation_and_is_not_read() -> None:
    (text,) = render(project({"models/p.py": "def model(dbt, session):\n    return dbt.ref('x')\n"}))

    assert (text.kind, text.relation) == ("python", "db.core.p")
    assert text.why is not None
    assert "Python model" in text.why


def test_a_python_file_that_is_no_model_gives_no_text() -> None:
    assert render(project({"models/tools.py": "def add(a, b):\n    return a + b\n"})) == ()


def test_a_template_without_sql_says_so() -> None:
    (text,) = render(project({"models/a.sql": "{% if false %}select 1{% endif %}\n"}))

    assert text.why == "its template renders to no SQL here"


def test_crlf_and_a_byte_order_mark_do_no_harm() -> None:
    (text,) = render(project({"models/a.sql": "\ufeffselect\r\n  {{ 'a' }},\r\n  b\r\nfrom t\r\n"}))

    assert text.why is None
    assert text.sql.replace("\ufeff", "").split() == ["select", "a,", "b", "from", "t"]
    assert text.lines == (1, 2, 3, 4, 5)


def test_configuration_is_not_changed() -> None:
    before = repr(CONFIG)
    render(project({"models/a.sql": "{% do var('x', []).append(1) %}select 1"}))

    assert before == repr(CONFIG)
