"""One request to GitHub: credentials, API version, one renewal after a 401, limits and errors as the house knows them.

Nothing is retried here but a refused token: githubkit's own retries would sleep for up to an hour inside a job and would
post twice; the queue decides when to try again. Redirects are not followed: a renamed repository is looked up by its id.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from githubkit import GitHub, Response
from githubkit.exception import RequestFailed

from app.edges.github.errors import Gone, find_failure, translated
from app.words import Permanent, Transient

Ask = Callable[[Mapping[str, str]], Awaitable[Response[Any, Any]]]
PER_PAGE: Final = 100
#: 30,000 comments or repositories; beyond that something is wrong
_MAX_PAGES: Final = 300


class Credentials(Protocol):
    async def current(self) -> str: ...
    async def renewed(self, refused: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of the primary rate limit, as the last answer said."""

    remaining: int
    limit: int
    resets_at: int  # UTC epoch in seconds


class Pace:
    """The one place where content-creating requests of an installation are spaced. `seconds` 0: not at all."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last = float("-inf")
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def turn(self) -> None:
        """Wait until the installation may create or change something again."""
        if self._seconds <= 0:
            return
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            wait = self._last + self._seconds - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            self._last = time.monotonic()


class Wire:
    """GitHub for one set of credentials."""

    def __init__(self, github: GitHub[Any], credentials: Credentials, *, api_version: str, pace: Pace) -> None:
        self.github = github
        self.budget: Budget | None = None
        self.requests = 0
        self._credentials = credentials
        self._version = {"X-GitHub-Api-Version": api_version}
        self._pace = pace

    async def get(
        self, path: str, what: str, *, params: Mapping[str, str | int] | None = None, needs: str = ""
    ) -> Response[Any, Any]:
        """GET; raises Transient, Permanent, Gone. `what` completes "could not ..."."""
        return await self._ask(
            lambda headers: self.github.arequest("GET", path, params=dict(params or {}), headers=dict(headers)),
            what,
            needs,
        )

    async def write(self, ask: Ask, what: str, *, needs: str = "") -> Response[Any, Any]:
        """A request that creates or changes something, in its installation's turn."""
        await self._pace.turn()
        return await self._ask(ask, what, needs)

    async def pages(
        self, path: str, what: str, *, params: Mapping[str, str | int] | None = None, key: str = "", needs: str = ""
    ) -> tuple[Any, ...]:
        """All items of all pages; `key` names the list where the answer wraps it."""
        found: list[Any] = []
        for page in range(1, _MAX_PAGES + 1):
            asked = {**(params or {}), "per_page": PER_PAGE, "page": page}
            answer = await self.get(path, what, params=asked, needs=needs)
            items = read_json(answer, what)
            if key and isinstance(items, dict):
                items = items.get(key)
            if not isinstance(items, list):
                raise Transient(f"GitHub: the answer to {what} is not the list it should be")
            found.extend(items)
            if not _has_next(answer, len(items)):
                return tuple(found)
        raise Permanent(f"GitHub: gave up to {what} after {_MAX_PAGES} pages")

    async def _ask(self, ask: Ask, what: str, needs: str) -> Response[Any, Any]:
        with translated(what, needs=needs):
            authorization = await self._credentials.current()
            try:
                answer = await self._send(ask, authorization)
            except RequestFailed as error:
                if error.response.status_code != 401:
                    raise
                again = await self._credentials.renewed(authorization)
                if again is None:
                    raise
                answer = await self._send(ask, again)
        if answer.raw_response.is_redirect:
            raise find_failure(answer.raw_response, what, needs=needs)
        return answer

    async def _send(self, ask: Ask, authorization: str) -> Response[Any, Any]:
        self.requests += 1
        try:
            answer = await ask({**self._version, "Authorization": authorization})
        except RequestFailed as error:
            self._note(error.response.headers)
            raise
        self._note(answer.headers)
        return answer

    def _note(self, headers: Mapping[str, str]) -> None:
        told = [headers.get(f"x-ratelimit-{name}", "") for name in ("remaining", "limit", "reset")]
        if all(number.isdecimal() for number in told):
            self.budget = Budget(*(int(number) for number in told))


def read_json(answer: Response[Any, Any], what: str) -> Any:
    """The body; a body that is no JSON (a proxy's page) raises Transient."""
    try:
        return answer.json()
    except ValueError as error:
        raise Transient(f"GitHub: the answer to {what} is not JSON") from error


def _has_next(answer: Response[Any, Any], count: int) -> bool:
    links = answer.headers.get("link")
    # Servers without Link headers exist behind proxies: then a full page means that there may be another.
    return 'rel="next"' in links if links else count >= PER_PAGE


__all__ = ["Budget", "Credentials", "Gone", "Pace", "Wire", "read_json"]
