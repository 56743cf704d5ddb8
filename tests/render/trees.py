"""Small trees for the tests of rendering: a dbt project as a dict of files."""

from __future__ import annotations

from app.render import SqlText, render_tree
from app.words import CatalogNaming, Config, DbtConfig

PROJECT = "name: shop\nmodel-paths: [models]\nmacro-paths: [macros]\n"
CONFIG = Config(dialect="snowflake", dbt=DbtConfig(database="db", schema="core"))


def project(files: dict[str, str], *, text: str = PROJECT) -> dict[str, str]:
    """The files as a dbt project at the root of a tree."""
    return {"dbt_project.yml": text, **files}


def render(files: dict[str, str], config: Config = CONFIG) -> tuple[SqlText, ...]:
    return render_tree(files, config)


def render_model(sql: str, config: Config = CONFIG, /, **files: str) -> SqlText:
    """The one text of `models/m.sql`, in a project with these other files."""
    (text,) = render_models(sql, config, **files)
    return text


def render_models(sql: str, config: Config = CONFIG, /, **files: str) -> list[SqlText]:
    """All texts of `models/m.sql`."""
    named = {name.replace("__", "/"): content for name, content in files.items()}
    tree = project({"models/m.sql": sql, **{path: text for path, text in named.items() if path != "project"}})
    if "project" in named:
        tree["dbt_project.yml"] = named["project"]
    return [text for text in render_tree(tree, config) if text.path == "models/m.sql"]


def words(text: SqlText) -> str:
    """The SQL with its white space evened out; fails with the reason where there is none."""
    assert text.why is None, text.why
    return " ".join(text.sql.split())


def naming(**parts: str) -> Config:
    return Config(catalog=CatalogNaming(**parts))
