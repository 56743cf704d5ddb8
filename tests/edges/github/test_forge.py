"""Reading through real HTTP: repositories by id, pull requests, trees, and what happens when names change."""

from __future__ import annotations

import asyncio
import io
import tarfile

import pytest

from app.edges.github import GitHubForges, InstallationForge
from app.ports import Forge, Forges
from app.standin.github import Content
from app.standin.github.faults import Trouble
from app.words import Permanent, Repo, Transient
from tests.edges.github.conftest import Site


def test_it_fulfils_the_ports(site: Site) -> None:
    forges: Forges = site.forges()
    forge: Forge = forges.installation(site.installed.id)

    assert isinstance(forges, GitHubForges)
    assert isinstance(forge, InstallationForge)
    assert forge is forges.installation(site.installed.id)


def test_repositories_are_listed_over_all_pages(site: Site) -> None:
    for number in range(101):
        site.world.create_repo("acme", f"r{number}", {"x": "y"}, private=number % 2 == 0)

    repos = site.run(lambda forge: forge.fetch_repositories())

    assert len(repos) == 102
    assert {repo.visibility for repo in repos} == {"private", "public"}
    assert site.asked().count("GET /installation/repositories") == 2


def test_a_repository_is_found_by_its_id(site: Site) -> None:
    repo = site.run(lambda forge: forge.fetch_repo(site.repo.id))

    assert repo == Repo(site.repo.id, "acme/warehouse", "main", "private")


def test_a_repository_outside_the_installation_is_named_with_what_to_do(site: Site) -> None:
    site.world.create_org("other")
    foreign = site.world.create_repo("other", "x", {"a": "b"})

    with pytest.raises(Permanent, match="repository access"):
        site.run(lambda forge: forge.fetch_repo(foreign.id))


def test_a_pull_request_is_read(site: Site) -> None:
    pull = site.run(lambda forge: forge.fetch_pull(site.repo, site.number))

    expected = (site.number, "open", site.head, site.repo.id, "main", site.base, False, False)
    read = (
        pull.number,
        pull.state,
        pull.head_sha,
        pull.head_repo_id,
        pull.base_ref,
        pull.base_sha,
        pull.draft,
        pull.merged,
    )
    assert read == expected
    assert pull.updated_at.endswith("Z")


def test_a_fork_that_is_gone_leaves_no_head_repository(site: Site) -> None:
    site.world.create_user("eve")
    fork = site.world.fork(site.repo.id, "eve")
    site.world.push(fork, "evil", {"db/2.sql": "DROP TABLE a;\n"})
    number = site.world.open_pull(fork, "evil", fork_of=site.repo.id)
    head = site.world.branch_head(fork, "evil")
    site.world.delete_fork(fork)

    pull = site.run(lambda forge: forge.fetch_pull(site.repo, number))
    tree = site.run(lambda forge: forge.fetch_tree(site.repo, head))

    assert (pull.head_repo_id, pull.head_sha) == (None, head)
    assert "db/2.sql" in {entry.path for entry in tree.entries}


def test_open_pulls_of_one_head(site: Site) -> None:
    site.world.push(site.repo.id, "other", {"x.sql": "SELECT 1;"})
    site.world.open_pull(site.repo.id, "other")

    assert len(site.run(lambda forge: forge.fetch_open_pulls(site.repo))) == 2
    [pull] = site.run(lambda forge: forge.fetch_open_pulls(site.repo, site.head))
    assert pull.number == site.number


@pytest.mark.parametrize("branch", ["main", "feature/a b#c?d%e", "installation"])
def test_branches_of_any_name_have_a_head(site: Site, branch: str) -> None:
    if branch != "main":
        name = branch if " " not in branch and "?" not in branch else "feature/a#c%e"
        branch = name
        site.world.push(site.repo.id, name, {"x": "y"})

    head = site.run(lambda forge: forge.fetch_branch_head(site.repo, branch))

    assert head == site.world.branch_head(site.repo.id, branch)


def test_a_branch_that_is_not_there_has_none(site: Site) -> None:
    assert site.run(lambda forge: forge.fetch_branch_head(site.repo, "nowhere")) is None


def test_a_comparison_starts_at_the_merge_base(site: Site) -> None:
    moved = site.world.push(site.repo.id, "main", {"db/3.sql": "SELECT 1;\n"})

    comparison = site.run(lambda forge: forge.fetch_comparison(site.repo, moved, site.head))

    assert (comparison.merge_base, comparison.truncated) == (site.base, False)
    assert set(comparison.files) == {"db/2.sql", "README.md"}


def test_a_comparison_of_many_files_says_that_it_is_cut(site: Site) -> None:
    head = site.world.push(site.repo.id, "many", {f"m/{n}.sql": "SELECT 1;" for n in range(301)})

    assert site.run(lambda forge: forge.fetch_comparison(site.repo, site.base, head)).truncated


def test_a_tree_lists_files_symlinks_and_nothing_else(site: Site) -> None:
    head = site.world.push(site.repo.id, "links", {"link.sql": Content(b"db/1.sql", "120000")})

    tree = site.run(lambda forge: forge.fetch_tree(site.repo, head))

    assert not tree.truncated
    assert {entry.path: entry.mode for entry in tree.entries} == {
        "README.md": "100644",
        "db/1.sql": "100644",
        "link.sql": "120000",
    }


def test_a_cut_tree_says_so(site: Site) -> None:
    site.world.limits.tree_entries = 1

    assert site.run(lambda forge: forge.fetch_tree(site.repo, site.head)).truncated


def test_a_blob_comes_back_byte_for_byte(site: Site) -> None:
    data = bytes(range(256)) * 40
    head = site.world.push(site.repo.id, "binary", {"x.bin": data})

    async def read(forge: InstallationForge) -> bytes:
        tree = await forge.fetch_tree(site.repo, head)
        [sha] = [entry.sha for entry in tree.entries if entry.path == "x.bin"]
        return await forge.fetch_blob(site.repo, sha)

    assert site.run(read) == data


def test_a_renamed_repository_is_found_again(site: Site) -> None:
    async def work(forge: InstallationForge) -> tuple[int, str]:
        site.world.rename_repo(site.repo.id, "lake")
        pull = await forge.fetch_pull(site.repo, site.number)
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        return run, pull.head_sha

    run, head = site.run(work)

    assert head == site.head
    assert [one.id for one in site.world.check_runs(site.repo.id, site.head)] == [run]


def test_a_stranger_under_the_old_name_is_not_taken_for_it(site: Site) -> None:
    async def work(forge: InstallationForge) -> Repo:
        await forge.fetch_repositories()
        site.world.rename_repo(site.repo.id, "lake")
        site.world.create_repo("acme", "warehouse", {"other": "x"})
        return await forge.fetch_repo(site.repo.id)

    assert site.run(work).full_name == "acme/lake"


def test_a_repository_that_was_taken_away_is_permanent(site: Site) -> None:
    site.world.remove_repositories(site.installed, site.repo.id)

    with pytest.raises(Permanent, match="does not include this repository"):
        site.run(lambda forge: forge.fetch_pull(site.repo, site.number))


def test_one_connection_serves_many_tasks_and_loops(site: Site) -> None:
    forges = site.forges()

    async def many(forge: InstallationForge) -> None:
        await asyncio.gather(*(asyncio.create_task(forge.fetch_repo(site.repo.id)) for _ in range(40)))

    site.run(many, forges)
    site.run(many, forges)

    assert site.asked().count(f"POST /app/installations/{site.installed.id}/access_tokens") == 1
    assert forges.budgets()[site.installed.id].limit == 5_000


def test_every_request_says_which_version_it_speaks_and_who_asks(site: Site) -> None:
    site.run(lambda forge: forge.fetch_pull(site.repo, site.number))

    callers = {request.path.split("/")[1]: request.caller for request in site.world.requests()}
    assert set(callers) == {"app", "repos"}
    assert callers["app"] != callers["repos"]


def test_an_archive_comes_from_another_host_without_our_token(site: Site) -> None:
    file = io.BytesIO()
    site.run(lambda forge: forge.fetch_archive(site.repo, site.head, file, most=1_000_000))

    file.seek(0)
    with tarfile.open(fileobj=file, mode="r:gz") as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isreg()}
    assert names == {"db/1.sql", "db/2.sql"}
    asked = [(r.path.split("/")[1], r.caller) for r in site.world.requests() if "tar" in r.path]
    assert asked == [("repos", "token"), ("codeload", "anonymous")]


def test_an_archive_above_the_limit_is_given_up(site: Site) -> None:
    with pytest.raises(Permanent, match="larger than"):
        site.run(lambda forge: forge.fetch_archive(site.repo, site.head, io.BytesIO(), most=10))


@pytest.mark.parametrize(("trouble", "raised"), [(404, Permanent), (502, Transient), ("drop", Transient)])
def test_an_archive_that_does_not_come(site: Site, trouble: Trouble, raised: type[Exception]) -> None:
    for place in ("/tarball/", "^/codeload/"):
        site.world.fail_next("GET", place, trouble)
        with pytest.raises(raised):
            site.run(lambda forge: forge.fetch_archive(site.repo, site.head, io.BytesIO(), most=1_000_000))


def test_a_comparison_with_a_branch_names_its_commit(site: Site) -> None:
    found = site.run(lambda forge: forge.fetch_comparison(site.repo, "main", site.head))

    assert (found.base, found.merge_base) == (site.base, site.base)


def test_a_file_of_the_default_branch_by_its_path(site: Site) -> None:
    owner = site.repo.full_name.partition("/")[0]
    site.world.push(site.repo.id, "main", {".tether.yml": "version: 1\n"})

    assert site.run(lambda forge: forge.fetch_file(site.repo.full_name, ".tether.yml")) == b"version: 1\n"
    assert site.run(lambda forge: forge.fetch_file(site.repo.full_name, "nothing.yml")) is None
    assert site.run(lambda forge: forge.fetch_file(f"{owner}/.github", ".tether.yml")) is None


def test_a_file_too_large_for_its_path_is_no_empty_file(site: Site) -> None:
    site.world.push(site.repo.id, "main", {".tether.yml": "#" * 1_100_000})

    with pytest.raises(Permanent, match="larger than 1 MB"):
        site.run(lambda forge: forge.fetch_file(site.repo.full_name, ".tether.yml"))
