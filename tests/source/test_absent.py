"""What of a tree is not here: pointers, bytes, submodules. Which of it may hold SQL of ours."""

from __future__ import annotations

import pytest

from app.source.absent import find_absent
from app.words import Config, Repo, Root, Tree

SHOP = Repo(7, "acme/shop")
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n"
SUBMODULE = "it is a submodule, whose files are in another repository"


def paths(tree: Tree, config: Config | None = None, *, known: tuple[str, ...] = (), repo: Repo = SHOP) -> list[str]:
    found = find_absent(repo, tree, config or Config(), known)
    assert all(file.absent and file.why for file in found)
    return [file.path for file in found]


def test_sql_without_its_text_counts() -> None:
    files = {"jobs/a.sql": LFS, "jobs/b.sql": "\0\1", "jobs/c.sql": "SELECT 1;", "seeds/d.csv": LFS}
    unread = {"jobs/e.sql": "it is larger than 1 MB", "f.png": "it is binary", "x.down.sql": "it is binary"}
    assert paths(Tree(files, unread=unread)) == ["jobs/a.sql", "jobs/b.sql", "jobs/e.sql"]


def test_an_ignored_root_is_left_out() -> None:
    config = Config(found=True, roots=(Root("jobs/", "ignore"),))
    assert paths(Tree({"jobs/a.sql": LFS}, unread={"jobs/lib": SUBMODULE}), config) == []


@pytest.mark.parametrize(
    ("url", "counts"),
    [
        ("https://github.com/acme/reports.git", True),
        ("git@github.com:Acme/reports.git", True),
        ("../reports", True),
        ("../reports.git", True),
        ("https://github.com/acme/warehouse", False),  # its SQL is read by itself
        ("../warehouse.git", False),
        ("https://github.com/google/protobuf.git", False),  # does not know our tables
        ("../../other/lib.git", False),
        ("", True),
    ],
)
def test_a_submodule_counts_unless_it_is_read_or_foreign(url: str, counts: bool) -> None:  # noqa: FBT001
    modules = f'[submodule "lib"]\n\tpath = sql/lib\n\turl = {url}\n' if url else ""
    tree = Tree({".gitmodules": modules}, unread={"sql/lib": SUBMODULE})
    assert paths(tree, known=("acme/warehouse",)) == (["sql/lib"] if counts else [])


@pytest.mark.parametrize(
    ("files", "counts"),
    [
        ({}, False),
        ({"app/languages.py": "LANGUAGES = ['de', 'fr']"}, False),
        ({"dbt_project.yml": "model-paths: [models, translations/models]"}, True),
        ({"jobs/run.py": "run('translations/daily.sql')"}, True),
    ],
)
def test_a_submodule_counts_where_the_project_leads_into_it(files: dict[str, str], counts: bool) -> None:  # noqa: FBT001
    modules = '[submodule "t"]\n\tpath = crates/translations\n\turl = ../translations.git\n'
    tree = Tree({".gitmodules": modules, **files}, unread={"crates/translations": SUBMODULE})
    assert paths(tree) == (["crates/translations"] if counts else [])


def test_without_an_owner_nobody_can_tell_whose_it_is() -> None:
    tree = Tree(
        {".gitmodules": '[submodule "a"]\n path = dbt/a\n url = https://github.com/google/x\n'},
        unread={"dbt/a": SUBMODULE},
    )
    assert paths(tree, repo=Repo(0, "")) == ["dbt/a"]
