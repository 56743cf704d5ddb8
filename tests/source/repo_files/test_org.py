"""The index: never older than the head, kept over processes, refreshed file by file, and gone with its repository."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.edges.store import StoredIndex, forget_repository, load_indexed, purge_texts
from app.source.repo_files import Allowance, BlobCache, Indexed, OrgIndex
from app.source.repo_files.blobs import MANY
from app.source.selection import choose_read
from app.words import Permanent, Repo, Transient
from tests.databases import make_store
from tests.fakes.forge import FakeForge

FILES = {"features/a.sql": "select 1", "features/b.sql": "select 2", "README.md": "hello"}


class Org:
    """One repository on GitHub and our rows; every `read` is a process of its own, whose memory is empty."""

    def __init__(self, path: Path) -> None:
        self.store, self.forge = make_store(path / "index.db"), FakeForge()
        self.repo = self.forge.add_repo(2, "acme/features", FILES)

    def index(self, installation_id: int = 9) -> OrgIndex:
        return OrgIndex(StoredIndex(self.store, installation_id), BlobCache())

    def read(self, *, room: int = 1_000_000, installation_id: int = 9, repo: Repo | None = None) -> Indexed:
        self.forge.calls.clear()
        work = self.index(installation_id).fetch_repository(self.forge, repo or self.repo, choose_read, Allowance(room))
        return asyncio.run(work)

    def files(self) -> dict[str, str]:
        tree = self.read().tree
        assert tree is not None
        return dict(tree.files)

    def push(self, commit: str, **changes: str) -> None:
        self.forge.add_commit(2, commit, {**FILES, **{f"features/{n}.sql": text for n, text in changes.items()}})
        self.forge.branches[2, "main"] = commit


@pytest.fixture
def org(tmp_path: Path) -> Iterator[Org]:
    made = Org(tmp_path)
    yield made
    made.store.engine.dispose()


def test_what_was_read_once_costs_one_request_afterwards(org: Org) -> None:
    assert org.files() == {"features/a.sql": "select 1", "features/b.sql": "select 2"}
    assert org.forge.calls["fetch_tree"] == 1
    assert org.forge.calls["fetch_blob"] == 2
    assert org.files() == {"features/a.sql": "select 1", "features/b.sql": "select 2"}
    assert org.forge.calls == {"fetch_branch_head": 1}


def test_a_push_that_nobody_told_us_of_is_seen(org: Org) -> None:
    org.read()
    org.push("newer", a="select 3")
    found = org.read()
    assert found.tree is not None
    assert (found.tree.commit, found.tree.files["features/a.sql"]) == ("newer", "select 3")
    assert org.forge.calls["fetch_blob"] == 1, "only what changed is fetched"


def test_a_default_branch_that_was_changed_is_followed(org: Org) -> None:
    org.read()
    org.forge.add_commit(2, "other", {"features/a.sql": "select 9"})
    org.forge.branches[2, "trunk"] = "other"
    found = org.read(repo=Repo(2, "acme/features", "trunk"))
    assert found.tree is not None
    assert found.tree.files == {"features/a.sql": "select 9"}


def test_many_files_come_in_one_archive(org: Org) -> None:
    org.push("big", **{f"f{n}": f"select {n}0" for n in range(MANY)})
    assert len(org.files()) == MANY + 2
    assert org.forge.calls["fetch_archive"] == 1
    assert org.forge.calls["fetch_blob"] == 0


@pytest.mark.parametrize("error", [Permanent("no archives here"), Transient("502")])
def test_without_an_archive_files_are_fetched_one_by_one(org: Org, error: Exception) -> None:
    org.push("big", **{f"f{n}": f"select {n}0" for n in range(MANY)})
    org.forge.fail["fetch_archive"] = [error]
    assert len(org.files()) == MANY + 2
    assert org.forge.calls["fetch_blob"] == MANY + 2


def test_an_archive_that_is_refused_is_not_asked_for_again(org: Org) -> None:
    org.forge.fail["fetch_archive"] = [Transient("502"), Permanent("larger than 256 MB")]
    cache, kept = BlobCache(), StoredIndex(org.store, 9)
    for commit in ("one", "two", "three"):
        org.push(commit, **{f"f{n}": f"select '{commit}{n}'" for n in range(MANY)})
        asyncio.run(OrgIndex(kept, cache).fetch_repository(org.forge, org.repo, choose_read, Allowance()))
    assert org.forge.calls["fetch_archive"] == 2


def test_an_empty_repository_has_no_sql_and_that_is_known(org: Org) -> None:
    del org.forge.branches[2, "main"]
    assert org.read() == Indexed(org.repo)


def test_a_head_that_cannot_be_asked_for_is_no_old_answer(org: Org) -> None:
    org.read()
    org.forge.fail["fetch_branch_head"] = [Transient("502")]
    with pytest.raises(Transient):
        org.read()


def test_a_cut_listing_is_said_also_from_our_rows(org: Org) -> None:
    org.forge.truncated.add("base")
    for _ in range(2):
        found = org.read()
        assert found.unknown is not None
        assert found.unknown.repo == "acme/features"


def test_more_than_a_review_reads_is_said(org: Org) -> None:
    found = org.read(room=10)
    assert found.tree is None
    assert found.unknown is not None
    assert "larger than" in found.unknown.why


def test_texts_that_were_purged_are_fetched_again(org: Org) -> None:
    org.read()
    with org.store.begin() as connection:
        assert purge_texts(connection, before=0.0, most_bytes=0) == 2
    assert len(org.files()) == 2
    assert org.forge.calls["fetch_blob"] == 2


def test_no_installation_sees_anothers(org: Org) -> None:
    org.read()
    org.read(installation_id=10)
    assert org.forge.calls["fetch_blob"] == 2


def test_a_repository_that_left_is_forgotten(org: Org) -> None:
    org.read()
    with org.store.begin() as connection:
        assert load_indexed(connection, 9) == {2: "base"}
        assert forget_repository(connection, 2) == 3
        assert load_indexed(connection, 9) == {}


def test_a_database_that_fails_is_an_empty_index(org: Org) -> None:
    org.read()
    with org.store.begin() as connection:
        connection.exec_driver_sql("DROP TABLE tether_index")
        connection.exec_driver_sql("DROP TABLE tether_index_text")
    assert len(org.files()) == 2
