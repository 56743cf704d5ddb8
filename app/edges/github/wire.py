"""One request to GitHub: credentials, API version, one renewal after a 401, limits and errors as the house knows them.

A read is asked again as `app.ports.RETRIES` says, and a refused token is renewed; githubkit's own retries would sleep for up to
an hour inside a job and would post twice. Redirects are not followed: a renamed repository is looked up by its id.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final, Protocol, TypeVar
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from githubkit import GitHub, Response
from githubkit.exception import RequestFailed

from app.edges.github.download import download
from app.edges.github.errors import NotThere, RateLimited, find_failure, translated
from app.edges.github.transport import PooledTransport
from app.ports import RETRIES, Retries
from app.words import Permanent, Transient

Ask = Callable[[Mapping[str, str]], Awaitable[Response[Any, Any]]]
T = TypeVar("T")
PER_PAGE: Final = 100
_JSON: Final = "application/vnd.github+json"
#: 30,000 comments or repositories; beyond that something is wrong
_MAX_PAGES: Final = 300


class TokenSource(Protocol):
    async def current(self) -> str: ...
    async def renewed(self, refused: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class RateBudget:
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


class GitHubWire:
    """GitHub for one set of credentials."""

    def __init__(
        self,
        github: GitHub[Any],
        credentials: TokenSource,
        *,
        api_version: str,
        pace: Pace,
        pool: PooledTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Without a `pool` nothing can be downloaded. `sleep` is asyncio's, except in tests."""
        self.github = github
        self.budget: RateBudget | None = None
        self.requests = 0
        self._credentials = credentials
        self._version = {"X-GitHub-Api-Version": api_version}
        self._pace, self._pool, self._sleep = pace, pool, sleep
        self._closed_until = 0.0  # on the monotonic clock

    async def get(
        self, path: str, what: str, *, params: Mapping[str, str | int] | None = None, needs: str = ""
    ) -> Response[Any, Any]:
        """GET; raises Transient, Permanent, Gone. `what` completes "could not ..."."""
        return await self.repeat(
            lambda _: self._ask(
                lambda headers: self.github.arequest("GET", path, params=dict(params or {}), headers=dict(headers)),
                what,
                needs,
            ),
            RETRIES["github reads"],
        )

    async def repeat(self, ask: Callable[[int], Awaitable[T]], retries: Retries) -> T:
        """What `ask` answers; asked again, with the number of failures so far, while it raises `Transient`. Only for reads, and
        for writes that look for what an earlier try may have left."""
        failures = 0
        while True:
            try:
                return await ask(failures)
            except Transient as error:
                failures += 1
                pause = retries.find_pause(failures, error.retry_after)
                if pause is None:
                    raise
            await self._sleep(pause)

    async def create(self, ask: Ask, what: str, *, needs: str = "") -> Response[Any, Any]:
        """A request that creates content, in its installation's turn: GitHub counts these by the minute."""
        self._check_open(what)  # no turn is taken for what is not sent
        await self._pace.turn()
        return await self._ask(ask, what, needs)

    async def write(self, ask: Ask, what: str, *, needs: str = "") -> Response[Any, Any]:
        """A request that changes or removes what is there. Each follows a creation, so they need no turn of their own, and a
        check run is not kept in progress for the sake of other pull requests' comments."""
        return await self._ask(ask, what, needs)

    async def download(self, path: str, what: str, into: IO[bytes], *, most: int, needs: str = "") -> None:
        """GET of something large, into an open file; raises as `get`, and Permanent above `most` bytes."""
        if self._pool is None:
            raise Permanent(f"GitHub: could not {what}: these credentials download nothing")
        pool, start = self._pool, into.tell()
        url = str(self.github.config.base_url).rstrip("/") + path

        async def ask(_: int) -> None:
            self._check_open(what)
            self.requests += 1
            into.seek(start)
            into.truncate()  # an earlier try may have left half of it
            authorization = await self._credentials.current()
            headers = {**self._version, "Authorization": authorization, "Accept": _JSON, "User-Agent": "tether"}
            with self._noted():
                await download(pool, url, into, headers=headers, most=most, what=what, needs=needs)

        await self.repeat(ask, RETRIES["github reads"])

    async def pages(
        self, path: str, what: str, *, params: Mapping[str, str | int] | None = None, key: str = "", needs: str = ""
    ) -> tuple[Any, ...]:
        """All items of all pages; `key` names the list where the answer wraps it."""
        found: list[Any] = []
        asked: dict[str, str | int] = {**(params or {}), "per_page": PER_PAGE, "page": 1}
        for page in range(1, _MAX_PAGES + 1):
            answer = await self.get(path, what, params=asked, needs=needs)
            items = read_json(answer, what)
            if key and isinstance(items, dict):
                items = items.get(key)
            if not isinstance(items, list):
                raise Transient(f"GitHub: the answer to {what} is not the list it should be")
            found.extend(items)
            following = _find_next(answer.headers.get("link"), page, len(items))
            if not following:
                return tuple(found)
            asked = {**asked, **following}
        raise Permanent(f"GitHub: gave up to {what} after {_MAX_PAGES} pages")

    async def _ask(self, ask: Ask, what: str, needs: str) -> Response[Any, Any]:
        self._check_open(what)
        with self._noted(), translated(what, needs=needs):
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
        if answer.raw_response.is_redirect:  # outside of the limits' sight: a redirect never is one
            raise find_failure(answer.raw_response, what, needs=needs)
        return answer

    def find_wait(self) -> float:
        """Seconds for which GitHub has told these credentials to wait."""
        return max(0.0, self._closed_until - time.monotonic())

    def _check_open(self, what: str) -> None:
        """Raises Transient while GitHub has told these credentials to wait: going on asking makes it worse."""
        wait = self.find_wait()
        if wait > 0:
            raise Transient(f"GitHub: rate limited; not asked to {what} for another {wait:.0f} s", retry_after=wait)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """A limit holds for all that these credentials ask, and for nobody else."""
        try:
            yield
        except RateLimited as error:
            self._closed_until = max(self._closed_until, time.monotonic() + (error.retry_after or 0.0))
            raise

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
        given = [headers.get(f"x-ratelimit-{name}", "") for name in ("remaining", "limit", "reset")]
        if all(number.isdecimal() for number in given):
            self.budget = RateBudget(*(int(number) for number in given))


def read_json(answer: Response[Any, Any], what: str) -> Any:
    """The body; a body that is no JSON (a proxy's page) raises Transient."""
    try:
        return answer.json()
    except ValueError as error:
        raise Transient(f"GitHub: the answer to {what} is not JSON") from error


def _find_next(links: str | None, page: int, count: int) -> dict[str, str | int]:
    """The parameters of the next page, none when this was the last. What the server's own link says of them is taken."""
    if not links:
        # Servers without Link headers exist behind proxies: then a full page means that there may be another.
        return {"page": page + 1} if count >= PER_PAGE else {}
    for part in links.split(","):
        address, _, relation = part.partition(";")
        if re.search(r'\brel="?next"?', relation):
            given = dict(parse_qsl(urlsplit(address.strip(" <>")).query, keep_blank_values=True))
            return dict(given) or {"page": page + 1}
    return {}


__all__ = ["GitHubWire", "NotThere", "Pace", "RateBudget", "TokenSource", "read_json"]
