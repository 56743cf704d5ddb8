"""Submodules that moved: which of them may matter to a change."""

from __future__ import annotations

import pytest

from app.source.submodules import find_full_name, find_moved, read_urls
from app.words import Config, Root, Tree

MODULES = '[submodule "x"]\n\tpath = {0}\n\turl = ../x.git\n'


def moved(
    path: str, files: dict[str, str] | None = None, config: Config | None = None, *, empty: bool = False
) -> list[str]:
    tree = Tree({".gitmodules": MODULES.format(path), **(files or {})}, unread={path: "it is a submodule"})
    found = find_moved(tree, tree, {path, "a.sql"}, config or Config(), empty={path} if empty else ())
    return [unknown.path or "" for unknown in found]


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("docs/theme", {}),
        ("docs/theme", {"models/a.sql": "select theme from x"}),
        ("crates/email/translations", {"migrations/1.sql": "CREATE TABLE translations (id INT)"}),
        ("vendor/lib", {"dbt_project.yml": 'model-paths: ["lib2/models", "my-vendor/lib"]'}),
    ],
)
def test_one_that_nothing_leads_into_is_harmless(path: str, files: dict[str, str]) -> None:
    assert moved(path, files) == []


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("vendor/models", {}),
        ("sql/shared", {}),
        ("migrations", {}),
        ("vendor/lib", {"dbt_project.yml": 'model-paths: ["models", "vendor/lib/models"]'}),
        ("vendor/lib", {"transform/packages.yml": "packages: [{local: ../vendor/lib}]"}),
        ("transform/lib", {"transform/dbt/packages.yml": "packages: [{local: ../lib}]"}),
        ("vendor/lib", {"jobs/run.py": 'open("lib/report.sql")'}),
    ],
)
def test_one_that_the_project_leads_into_is_an_unknown(path: str, files: dict[str, str]) -> None:
    assert moved(path, files) == [path]
    assert moved(path, files, empty=True) == []


def test_a_root_says_whether_it_matters() -> None:
    assert moved("vendor/lib", config=Config(roots=(Root("vendor/", "definitions"),))) == ["vendor/lib"]
    assert moved("vendor/lib", config=Config(roots=(Root("vendor/lib/sql", "migrations"),))) == ["vendor/lib"]
    assert moved("vendor/models", config=Config(roots=(Root("vendor/", "ignore"),))) == []


def test_whose_repository_it_is() -> None:
    tree = Tree(
        {".gitmodules": MODULES.format("a") + MODULES.format("b").replace("../x.git", "git@github.com:Acme/Y.git")}
    )
    assert {path: find_full_name(url, "acme/w") for path, url in read_urls(tree).items()} == {
        "a": "acme/x",
        "b": "acme/y",
    }
