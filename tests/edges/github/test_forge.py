"""Reading through real HTTP: pages, names that change, connections, archives. What any forge promises: `tests/contracts`."""

from __future__ import annotations

import asyncio
import io
import tarfile

import pytest

from app.edges.github import GitHubForges, InstallationForge
from app.ports import RETRIES, Forge, Forges
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
        site.world.fail_next("GET", place, trouble, times=1 if trouble == 404 else RETRIES["github reads"].tries)
        with pytest.raises(raised):
            site.run(lambda forge: forge.fetch_archive(site.repo, site.head, io.BytesIO(), most=1_000_000))


def test_an_archive_that_broke_off_is_asked_for_again_and_whole(site: Site) -> None:
    whole, again = io.BytesIO(), io.BytesIO()
    site.run(lambda forge: forge.fetch_archive(site.repo, site.head, whole, most=1_000_000))
    site.world.fail_next("GET", "^/codeload/", 502)
    site.run(lambda forge: forge.fetch_archive(site.repo, site.head, again, most=1_000_000))

    with (
        tarfile.open(fileobj=io.BytesIO(again.getvalue())) as archive,
        tarfile.open(fileobj=io.BytesIO(whole.getvalue())) as first,
    ):
        assert archive.getnames() == first.getnames()


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
