"""All installations of one App: shared connections, tokens and names. The composition root makes one and closes it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from types import TracebackType
from typing import Any, Final

import httpx
from githubkit import GitHub, UnauthAuthStrategy

from app.edges.github.app import AppClient, Credentials
from app.edges.github.auth import KEY_SOURCE, AppCredentials, InstallationTokens, load_key
from app.edges.github.forge import InstallationForge
from app.edges.github.transport import PooledTransport
from app.edges.github.wire import GitHubWire, Pace, RateBudget

#: trees and comparisons of large repositories take their time
TIMEOUT_S: Final = 20.0
#: spoken by github.com, ghe.com and every GHES since 3.9, unlike the newer one that githubkit sends by itself
API_VERSION: Final = "2022-11-28"


class GitHubForges:
    """`api_url`: https://api.github.com, https://HOST/api/v3 or a sandbox. `app_id` may be the client id.

    `write_spacing` are the seconds between content-creating requests of one installation (GitHub asks for at least 1);
    `timeout` are the seconds that connecting, writing or the next bytes may take. Raises Permanent for a key that is none; it
    names the `key_source`.
    Close it in the loop that used it (`async with`, or `aclose`).
    """

    def __init__(
        self,
        app_id: str | int,
        private_key: str,
        api_url: str = "https://api.github.com",
        *,
        key_source: str = KEY_SOURCE,
        write_spacing: float = 0.0,
        timeout: float = TIMEOUT_S,
        api_version: str = API_VERSION,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._transport = PooledTransport(transport)
        # Credentials are ours: githubkit would mint a token for each concurrent first call, would never renew a refused one,
        # and would send the App's JWT for any path that ends in "/installation".
        self._github: GitHub[Any] = GitHub(
            UnauthAuthStrategy(),
            base_url=api_url,
            async_transport=self._transport,
            auto_retry=False,
            follow_redirects=False,
            http_cache=False,
            # Waiting for a free connection of our own pool is no failure of GitHub's.
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0), pool=None),
            user_agent="tether",
        )
        self._api_version = api_version
        self._write_spacing, self._sleep = write_spacing, sleep
        credentials = AppCredentials(str(app_id), load_key(private_key, source=key_source))
        self.app = AppClient(GitHubWire(self._github, credentials, api_version=api_version, pace=Pace(0), sleep=sleep))
        self._redeliveries = Pace(write_spacing)
        self._tokens = InstallationTokens(self._mint)
        self._forges: dict[int, InstallationForge] = {}

    def installation(self, installation_id: int) -> InstallationForge:
        """GitHub as this installation sees it; the same value each time, so that pace and budget are shared."""
        if installation_id not in self._forges:
            wire = GitHubWire(
                self._github,
                self._tokens.of(installation_id),
                api_version=self._api_version,
                pace=Pace(self._write_spacing),
                pool=self._transport,
                sleep=self._sleep,
            )
            self._forges[installation_id] = InstallationForge(wire, self.app, installation_id)
        return self._forges[installation_id]

    async def fetch_installations(self) -> tuple[int, ...]:
        """The ids of all that are not suspended."""
        return tuple(found.id for found in await self.app.fetch_installations() if not found.suspended)

    async def fetch_failed_deliveries(self, *, since: datetime, attempts: int) -> tuple[int, ...]:
        """Deliveries after `since` whose every attempt failed, fewer than `attempts` of them; the oldest first."""
        failed = await self.app.fetch_failed_deliveries(since=since)
        return tuple(one.id for one in failed if one.attempts < attempts)

    async def redeliver(self, delivery_id: int) -> None:
        """Ask GitHub to deliver it again, under the same GUID; in its turn, as everything that makes work for others."""
        await self._redeliveries.turn()
        await self.app.redeliver(delivery_id)

    async def fetch_credentials(self) -> Credentials:
        """Proves id, key and clock; see `App.fetch_credentials`."""
        return await self.app.fetch_credentials()

    def budgets(self) -> Mapping[int, RateBudget]:
        """installation id -> what is left of its rate limit, as far as any answer said so."""
        known = {number: forge.wire.budget for number, forge in self._forges.items()}
        return {number: budget for number, budget in known.items() if budget is not None}

    def find_budgets(self) -> dict[str, dict[str, int]]:
        """The same as plain values, and `waits_s` for those that GitHub told to wait."""
        waits = {number: forge.wire.find_wait() for number, forge in self._forges.items()}
        return {
            str(number): {**asdict(budget), "waits_s": round(waits[number])}
            for number, budget in self.budgets().items()
        }

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._transport.close_pool()

    async def __aenter__(self) -> GitHubForges:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _mint(self, installation_id: int) -> httpx.Response:
        return (await self.app.mint(installation_id)).raw_response
