"""What `Forge` promises about reading: repositories, pull requests, commits and files, there or not."""

from __future__ import annotations

import io
import tarfile
from datetime import datetime
from functools import partial

import pytest

from app.ports import Forge, TooLarge, TreeListing
from app.words import Permanent, Repo
from tests.contracts.forge_world import BASE, HEAD, ForgeWorld

NOWHERE = "c0ffee" * 6 + "beef"


def gone(world: ForgeWorld) -> Repo:
    """A repository that the installation no longer includes."""
    world.take_away(world.repo)
    return world.repo


# --- repositories ----------------------------------------------------------------------------------------------------


def test_repositories_are_listed_with_their_names_and_visibility(forge_world: ForgeWorld) -> None:
    added = {forge_world.add_repo(f"r{n}", {"x": "y"}, visibility="public" if n % 2 else "private") for n in range(3)}

    listed = forge_world.run(lambda forge: forge.fetch_repositories())

    assert len(listed) == 4
    assert set(listed) == {forge_world.repo, *added}


def test_a_repository_is_found_by_its_id(forge_world: ForgeWorld) -> None:
    async def work(forge: Forge) -> tuple[Repo, Repo]:
        before = await forge.fetch_repo(forge_world.repo.id)
        forge_world.rename(forge_world.repo, "lake")
        return before, await forge.fetch_repo(forge_world.repo.id)

    before, after = forge_world.run(work)

    assert before == forge_world.repo
    assert (after.id, after.full_name.partition("/")[2]) == (before.id, "lake")


def test_a_repository_outside_the_installation_is_permanent(forge_world: ForgeWorld) -> None:
    repo = gone(forge_world)

    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_repo(repo.id))
    assert repo not in forge_world.run(lambda forge: forge.fetch_repositories())


# --- pull requests ---------------------------------------------------------------------------------------------------


def test_a_pull_request_is_read(forge_world: ForgeWorld) -> None:
    pull = forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, forge_world.number))

    assert (pull.number, pull.state, pull.draft, pull.merged) == (forge_world.number, "open", False, False)
    assert (pull.head_sha, pull.head_repo_id) == (forge_world.head, forge_world.repo.id)
    assert (pull.base_ref, pull.base_sha) == ("main", forge_world.base)
    assert pull.base_repo == forge_world.repo
    assert pull.title
    assert pull.html_url.endswith(f"/{forge_world.repo.full_name}/pull/{forge_world.number}")
    for time in (pull.created_at, pull.updated_at):
        assert time.endswith("Z")
        assert datetime.fromisoformat(time).tzinfo is not None
    assert pull.created_at <= pull.updated_at


def test_a_push_moves_the_head(forge_world: ForgeWorld) -> None:
    head = forge_world.push("drop", {"db/3.sql": "SELECT 1;\n"})

    pull = forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, forge_world.number))

    assert (pull.head_sha, pull.base_sha) == (head, forge_world.base)


def test_closed_and_merged_pull_requests_say_so(forge_world: ForgeWorld) -> None:
    forge_world.push("other", {"x.sql": "SELECT 1;\n"})
    other = forge_world.open_pull("other")
    forge_world.close_pull(other)
    forge_world.merge_pull(forge_world.number)

    closed = forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, other))
    merged = forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, forge_world.number))

    assert [(one.state, one.merged) for one in (closed, merged)] == [("closed", False), ("closed", True)]


def test_a_fork_that_was_deleted_leaves_no_head_repository(forge_world: ForgeWorld) -> None:
    number = forge_world.open_pull_of_lost_fork()

    pull = forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, number))
    tree = forge_world.run(lambda forge: forge.fetch_tree(forge_world.repo, pull.head_sha))

    assert pull.head_repo_id is None
    assert "db/2.sql" in {entry.path for entry in tree.entries}


def test_a_pull_request_that_is_not_there_is_permanent(forge_world: ForgeWorld) -> None:
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, 4711))
    repo = gone(forge_world)
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_pull(repo, forge_world.number))


def test_open_pull_requests_are_listed_all_or_by_their_head(forge_world: ForgeWorld) -> None:
    other = forge_world.push("other", {"x.sql": "SELECT 1;\n"})
    second = forge_world.open_pull("other")
    forge_world.push("third", {"y.sql": "SELECT 1;\n"})
    third = forge_world.open_pull("third")
    forge_world.close_pull(third)

    async def work(forge: Forge) -> list[set[int]]:
        heads = (None, other, forge_world.head, forge_world.base)
        return [{pull.number for pull in await forge.fetch_open_pulls(forge_world.repo, head)} for head in heads]

    assert forge_world.run(work) == [{forge_world.number, second}, {second}, {forge_world.number}, set()]


def test_listed_pull_requests_are_those_that_are_read_alone(forge_world: ForgeWorld) -> None:
    [listed] = forge_world.run(lambda forge: forge.fetch_open_pulls(forge_world.repo))

    assert listed == forge_world.run(lambda forge: forge.fetch_pull(forge_world.repo, forge_world.number))


def test_pull_requests_of_a_repository_that_is_gone_are_permanent(forge_world: ForgeWorld) -> None:
    repo = gone(forge_world)

    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_open_pulls(repo))


# --- commits ---------------------------------------------------------------------------------------------------------


def test_branches_of_any_name_have_a_head(forge_world: ForgeWorld) -> None:
    added = {name: forge_world.push(name, {"x": "y"}) for name in ("feature/a#c%e", "installation")}
    heads = {"main": forge_world.base, "drop": forge_world.head, **added}

    async def work(forge: Forge) -> dict[str, str | None]:
        return {name: await forge.fetch_branch_head(forge_world.repo, name) for name in heads}

    assert forge_world.run(work) == heads


def test_a_branch_that_is_not_there_has_no_head(forge_world: ForgeWorld) -> None:
    assert forge_world.run(lambda forge: forge.fetch_branch_head(forge_world.repo, "nowhere")) is None
    repo = gone(forge_world)
    assert forge_world.run(lambda forge: forge.fetch_branch_head(repo, "main")) is None


def test_a_comparison_starts_at_the_merge_base(forge_world: ForgeWorld) -> None:
    moved = forge_world.push("main", {"db/3.sql": "SELECT 1;\n"})

    for base in ("main", moved):
        found = forge_world.run(lambda forge, at=base: forge.fetch_comparison(forge_world.repo, at, forge_world.head))  # type: ignore[misc]
        assert (found.merge_base, found.base, found.truncated) == (forge_world.base, moved, False)
        assert set(found.files) == {"db/2.sql", "README.md"}


def test_a_comparison_of_many_files_says_that_it_is_cut(forge_world: ForgeWorld) -> None:
    head = forge_world.push("many", {f"m/{n}.sql": "SELECT 1;\n" for n in range(301)})

    assert forge_world.run(lambda forge: forge.fetch_comparison(forge_world.repo, forge_world.base, head)).truncated


def test_a_comparison_with_nothing_is_permanent(forge_world: ForgeWorld) -> None:
    for base, head in (("main", NOWHERE), (NOWHERE, forge_world.head), ("nowhere", forge_world.head)):
        with pytest.raises(Permanent):
            forge_world.run(partial(_compare, repo=forge_world.repo, base=base, head=head))


async def _compare(forge: Forge, *, repo: Repo, base: str, head: str) -> None:
    await forge.fetch_comparison(repo, base, head)


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_tree_lists_files_with_their_modes_and_sizes(forge_world: ForgeWorld) -> None:
    commit = forge_world.push_link("links", "link.sql", "db/1.sql")

    tree = forge_world.run(lambda forge: forge.fetch_tree(forge_world.repo, commit))

    assert not tree.truncated
    assert {entry.path: (entry.mode, entry.size) for entry in tree.entries} == {
        **{path: ("100644", len(text)) for path, text in BASE.items()},
        "link.sql": ("120000", len("db/1.sql")),
    }


def test_a_cut_tree_says_so(forge_world: ForgeWorld) -> None:
    forge_world.cut_listing(forge_world.head)

    assert forge_world.run(lambda forge: forge.fetch_tree(forge_world.repo, forge_world.head)).truncated


def test_a_commit_that_is_not_there_has_no_files(forge_world: ForgeWorld) -> None:
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_archive(forge_world.repo, NOWHERE, io.BytesIO(), most=1_000_000))
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_tree(forge_world.repo, NOWHERE))


def test_blobs_come_back_byte_for_byte(forge_world: ForgeWorld) -> None:
    data = bytes(range(256)) * 40
    commit = forge_world.push("binary", {"x.bin": data, "empty": b""})

    async def read(forge: Forge) -> dict[str, bytes]:
        tree: TreeListing = await forge.fetch_tree(forge_world.repo, commit)
        return {entry.path: await forge.fetch_blob(forge_world.repo, entry.sha) for entry in tree.entries}

    found = forge_world.run(read)

    assert found == {**{path: text.encode() for path, text in BASE.items()}, "x.bin": data, "empty": b""}


def test_a_blob_that_is_not_there_is_permanent(forge_world: ForgeWorld) -> None:
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_blob(forge_world.repo, NOWHERE))


def test_an_archive_holds_the_files_of_a_commit_below_one_directory(forge_world: ForgeWorld) -> None:
    commit = forge_world.push_link("drop", "link.sql", "db/1.sql")
    file = io.BytesIO()

    forge_world.run(lambda forge: forge.fetch_archive(forge_world.repo, commit, file, most=1_000_000))

    file.seek(0)
    with tarfile.open(fileobj=file, mode="r:gz") as archive:
        members = [member for member in archive if not member.isdir()]
        roots = {member.name.partition("/")[0] for member in members}
        texts = {m.name.partition("/")[2]: _text(archive, m) for m in members if m.isreg()}
        links = {member.name.partition("/")[2]: member.linkname for member in members if member.issym()}
    assert len(roots) == 1
    assert texts == HEAD
    assert links == {"link.sql": "db/1.sql"}


def _text(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file = archive.extractfile(member)
    assert file is not None
    return file.read().decode()


def test_an_archive_above_the_limit_is_permanent(forge_world: ForgeWorld) -> None:
    with pytest.raises(Permanent):
        forge_world.run(lambda forge: forge.fetch_archive(forge_world.repo, forge_world.head, io.BytesIO(), most=10))


def test_a_file_of_the_default_branch_comes_by_its_path(forge_world: ForgeWorld) -> None:
    forge_world.push("main", {".tether.yml": "version: 1\n"})
    name = forge_world.repo.full_name
    places = [(name, ".tether.yml"), (name, "no.yml"), (f"{name.partition('/')[0]}/.github", ".tether.yml")]

    async def work(forge: Forge) -> list[bytes | None]:
        return [await forge.fetch_file(full_name, path) for full_name, path in places]

    assert forge_world.run(work) == [b"version: 1\n", None, None]


def test_a_file_too_large_for_its_path_is_no_empty_file(forge_world: ForgeWorld) -> None:
    forge_world.push("main", {".tether.yml": "#" * 1_100_000})

    with pytest.raises(TooLarge):
        forge_world.run(lambda forge: forge.fetch_file(forge_world.repo.full_name, ".tether.yml"))
