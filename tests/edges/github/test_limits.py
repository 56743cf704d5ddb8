"""Limits hold for the installation that met them: it stops asking, others go on, and what creates content waits its turn."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import httpx
import pytest

from app.edges.github import GitHubForges, InstallationForge
from app.edges.github.wire import Pace
from app.effects import CheckOutput
from app.words import Transient
from tests.edges.github.conftest import PERMISSIONS, Site
from tests.keys import app_key


def asked_of(site: Site, path: str) -> int:
    return sum(request.path == path for request in site.world.requests())


@pytest.mark.parametrize(
    ("status", "headers", "message", "least"),
    [
        (403, {"Retry-After": "40"}, "You have exceeded a secondary rate limit", 38),
        (429, {}, "slow down", 58),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9999999999"}, "API rate limit exceeded", 3600),
    ],
)
def test_after_a_limit_nothing_is_sent_until_it_is_over(
    site: Site, status: int, headers: dict[str, str], message: str, least: float
) -> None:
    other = site.world.create_app("second", PERMISSIONS, private_key_pem=app_key(1))
    elsewhere = site.world.install(other, "acme")
    site.world.fail_next("GET", "/installation/repositories$", status, headers=headers, message=message)

    async def work(forge: InstallationForge) -> list[float | None]:
        waits = []
        for ask in (forge.fetch_repositories, lambda: forge.fetch_pull(site.repo, site.number)):
            with pytest.raises(Transient, match="rate limited") as limited:
                await ask()
            waits.append(limited.value.retry_after)
        return waits

    waits = site.run(work)

    assert all(wait is not None and least <= wait for wait in waits)
    assert asked_of(site, "/installation/repositories") == 1
    assert asked_of(site, f"/repos/acme/warehouse/pulls/{site.number}") == 0, "not sent at all"
    theirs = Site(site.url, site.world, other, elsewhere, site.repo, site.number, site.head, site.base)
    assert len(theirs.run(lambda forge: forge.fetch_repositories())) == 1, "another installation goes on"


def test_a_limit_of_one_installation_leaves_its_neighbour_under_the_same_app_alone(site: Site) -> None:
    site.world.create_org("beta")
    site.world.create_repo("beta", "shop", {"a.sql": "select 1"})
    second = site.world.install(site.app, "beta")
    site.world.fail_next("GET", "/installation/repositories$", 429, headers={"Retry-After": "30"})

    async def go() -> int:
        async with site.forges() as forges:
            with pytest.raises(Transient):
                await forges.installation(site.installed.id).fetch_repositories()
            return len(await forges.installation(second.id).fetch_repositories())

    assert asyncio.run(go()) == 1


def test_a_limit_ends(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.world.fail_next("GET", "/installation/repositories$", 429, headers={"Retry-After": "30"})

    async def work(forge: InstallationForge) -> int:
        with pytest.raises(Transient):
            await forge.fetch_repositories()
        later = time.monotonic() + 31
        monkeypatch.setattr("app.edges.github.wire.time", SimpleNamespace(monotonic=lambda: later))
        return len(await forge.fetch_repositories())

    assert site.run(work) == 1


def test_what_creates_content_is_spaced() -> None:
    async def turns() -> float:
        pace, start = Pace(0.05), time.monotonic()
        await asyncio.gather(*(pace.turn() for _ in range(4)))
        return time.monotonic() - start

    assert asyncio.run(turns()) >= 0.15


def test_only_what_creates_content_waits_its_turn(site: Site) -> None:
    async def work(forge: InstallationForge) -> float:
        start = time.monotonic()
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="a")
        await forge.conclude_check_run(site.repo, run, CheckOutput("success", "t", "s"))
        concluded = time.monotonic() - start
        await forge.create_comment(site.repo, site.number, "x")
        assert time.monotonic() - start >= 2.0
        return concluded

    assert site.run(work, site.forges(write_spacing=2.0)) < 2.0


@pytest.mark.parametrize(
    ("link", "pages"),
    [
        ('<https://h/installation/repositories?per_page=100&after=cursor2>; rel="next"', [{}, {"after": "cursor2"}]),
        (
            '<https://h/installation/repositories?page=1>; rel="first", <https://h/x?page=3>; rel=next',
            [{}, {"page": "3"}],
        ),
        ('<https://h/installation/repositories?page=1>; rel="prev"', [{}]),
        ("", [{}]),
    ],
)
def test_pages_follow_the_servers_own_links(site: Site, link: str, pages: list[dict[str, str]]) -> None:
    seen: list[dict[str, str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/access_tokens"):
            return httpx.Response(201, json={"token": "t", "expires_at": "2999-01-01T00:00:00Z"})
        seen.append(dict(request.url.params))
        headers = {"Link": link} if len(seen) == 1 and link else {}
        return httpx.Response(200, json={"total_count": 0, "repositories": []}, headers=headers)

    forges = GitHubForges(site.app.id, site.app.private_key_pem, site.url, transport=httpx.MockTransport(answer))
    site.run(lambda forge: forge.fetch_repositories(), forges)

    assert [{name: asked[name] for name in page} for asked, page in zip(seen, pages, strict=True)] == pages
