"""Credentials: minted once, renewed early and after a refusal; wrong ones are told apart in words."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from app.edges.github import GitHubForges, InstallationForge
from app.edges.github.auth import REFRESH_EARLY_S, AppCredentials, InstallationTokens, load_key
from app.words import Permanent, Transient
from tests.edges.github.conftest import Site
from tests.keys import app_key


class Mint:
    """Answers token requests like GitHub; counts them."""

    def __init__(self, life: timedelta = timedelta(hours=1), form: str = "%Y-%m-%dT%H:%M:%SZ") -> None:
        self.count = 0
        self.life = life
        self.form = form

    async def __call__(self, installation_id: int) -> httpx.Response:
        self.count += 1
        await asyncio.sleep(0)
        now = datetime.now(UTC)
        body = {"token": f"ghs_{installation_id}_{self.count}.a.b", "expires_at": (now + self.life).strftime(self.form)}
        return httpx.Response(201, json=body, headers={"date": format_datetime(now, usegmt=True)})


def test_twenty_first_calls_mint_one_token_each_installation() -> None:
    mint = Mint()

    async def go() -> list[str]:
        tokens = InstallationTokens(mint)
        return await asyncio.gather(*(tokens.of(number % 2).current() for number in range(20)))

    assert len(set(asyncio.run(go()))) == 2
    assert mint.count == 2


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"])
def test_a_token_is_replaced_five_minutes_before_it_expires(form: str) -> None:
    mint, now = Mint(form=form), [0.0]

    async def go() -> list[int]:
        tokens = InstallationTokens(mint, clock=lambda: now[0])
        counts = []
        for now[0] in (0.0, 3600 - REFRESH_EARLY_S - 5, 3600 - REFRESH_EARLY_S + 5):
            await tokens.fetch(1)
            counts.append(mint.count)
        return counts

    assert asyncio.run(go()) == [1, 1, 2]


def test_a_refused_token_is_replaced_once_for_all_who_held_it() -> None:
    mint = Mint()

    async def go() -> set[str | None]:
        credentials = InstallationTokens(mint).of(1)
        refused = await credentials.current()
        return set(await asyncio.gather(*(credentials.renewed(refused) for _ in range(5))))

    assert len(asyncio.run(go())) == 1
    assert mint.count == 2


def test_an_answer_without_token_is_permanent() -> None:
    async def mint(_: int) -> httpx.Response:
        return httpx.Response(201, json={"message": "hello"})

    with pytest.raises(Permanent, match="carries no token"):
        asyncio.run(InstallationTokens(mint).fetch(1))


def test_the_jwt_is_valid_for_under_ten_minutes_and_reused(site: Site) -> None:
    now = [1_000_000.0]
    credentials = AppCredentials("42", load_key(site.app.private_key_pem), clock=lambda: now[0])

    async def go() -> list[str]:
        made = []
        for now[0] in (1_000_000.0, 1_000_400.0, 1_000_500.0, 900_000.0):
            made.append(await credentials.current())
        return made

    first, reused, later, earlier = asyncio.run(go())
    claims = jwt.decode(first.removeprefix("Bearer "), options={"verify_signature": False})
    assert claims == {"iss": "42", "iat": 999_940, "exp": 1_000_540}
    assert first == reused
    assert len({first, later, earlier}) == 3


def test_a_key_in_one_line_is_read(site: Site) -> None:
    assert load_key(site.app.private_key_pem.strip().replace("\n", "\\n")).key_size == 2048


def test_what_is_no_rsa_key_is_said_to_be_none() -> None:
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )

    for pem in ("", "secret", other.decode()):
        with pytest.raises(Permanent, match="TETHER_GITHUB_PRIVATE_KEY"):
            GitHubForges(1, pem)


def test_an_expired_token_is_renewed_in_the_middle_of_a_review(site: Site) -> None:
    async def work(forge: InstallationForge) -> str:
        await forge.fetch_pull(site.repo, site.number)
        site.world.clock.skip(3_601)
        return (await forge.fetch_pull(site.repo, site.number)).head_sha

    assert site.run(work) == site.head
    assert site.asked().count(f"POST /app/installations/{site.installed.id}/access_tokens") == 2


def test_revoked_tokens_are_renewed_once_and_not_for_ever(site: Site) -> None:
    site.world.fail_next("GET", r"/pulls/", 401, times=5, message="Bad credentials")

    with pytest.raises(Permanent, match="credentials"):
        site.run(lambda forge: forge.fetch_pull(site.repo, site.number))
    assert len([asked for asked in site.asked() if "/pulls/" in asked]) == 2


def test_a_suspended_installation_says_what_to_do(site: Site) -> None:
    async def work(forge: InstallationForge) -> None:
        await forge.fetch_pull(site.repo, site.number)
        site.world.suspend(site.installed)
        await forge.fetch_pull(site.repo, site.number)

    with pytest.raises(Permanent, match="unsuspend"):
        site.run(work)


def test_an_uninstalled_app_is_permanent(site: Site) -> None:
    site.world.uninstall(site.installed)

    with pytest.raises(Permanent, match="was uninstalled"):
        site.run(lambda forge: forge.fetch_pull(site.repo, site.number))


def _prove(forges: GitHubForges) -> object:
    async def go() -> object:
        async with forges:
            return await forges.fetch_credentials()

    return asyncio.run(go())


def test_good_credentials_name_the_app_and_its_gaps(site: Site) -> None:
    site.world.change_permissions(site.app, {"metadata": "read", "contents": "read", "checks": "read"}, ("push",))

    async def go() -> None:
        async with site.forges() as forges:
            credentials = await forges.fetch_credentials()
            assert (credentials.app_id, credentials.slug) == (site.app.id, "tether")
            assert credentials.missing_permissions == ("checks: write", "merge_queues: read", "pull_requests: write")
            assert credentials.missing_events == ("merge_group", "pull_request")

    asyncio.run(go())


def test_the_client_id_works_as_well(site: Site) -> None:
    assert _prove(GitHubForges(site.app.client_id, site.app.private_key_pem, site.url))


def test_a_wrong_app_id_is_said_to_be_wrong(site: Site) -> None:
    with pytest.raises(Permanent, match="TETHER_GITHUB_APP_ID is wrong"):
        _prove(GitHubForges(999_999, site.app.private_key_pem, site.url))


def test_a_wrong_key_is_said_to_be_wrong(site: Site) -> None:
    other = site.world.create_app("other", {"metadata": "read"}, private_key_pem=app_key(1))

    with pytest.raises(Permanent, match="TETHER_GITHUB_APP_ID and TETHER_GITHUB_PRIVATE_KEY"):
        _prove(GitHubForges(site.app.id, other.private_key_pem, site.url))


def test_a_wrong_clock_is_named() -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        behind = datetime.fromtimestamp(time.time() - 3_600, UTC)
        headers = {"date": format_datetime(behind, usegmt=True)}
        return httpx.Response(401, json={"message": "'Issued at' claim ('iat') is in the future"}, headers=headers)

    forges = GitHubForges(1, app_key(), "https://github.invalid/api/v3", transport=httpx.MockTransport(answer))

    with pytest.raises(Permanent, match=r"clock is 3\d\d\d s ahead of GitHub's"):
        _prove(forges)


def test_an_address_that_nobody_answers_at_is_transient() -> None:
    with pytest.raises(Transient, match="connection failed"):
        _prove(GitHubForges(1, app_key(), "http://127.0.0.1:9"))
