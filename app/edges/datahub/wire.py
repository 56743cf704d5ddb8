"""JSON over HTTP to one DataHub server: bounded, timed, retried, and honest about what came back.

Everything that goes wrong leaves here as one of three exceptions: `Transient` (the server is away or overloaded; nothing
was decided), `Permanent` (it does not accept the token) and `Unusable` (it answered, but not with what was asked; the
caller turns that into a reason). The token stands in one header and nowhere else: exception texts name the host and
what failed, never headers, and the library's own exceptions are not chained.

Deliberately absent: what the answers mean. That is `relationships`, `aspects` and `reads`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import httpx

from app.edges.datahub.breaker import Breaker
from app.ports import RETRIES, Retries
from app.words import Permanent, Transient

Params: TypeAlias = Sequence[tuple[str, str]]
Outcome: TypeAlias = "tuple[Any] | Transient | Permanent | Unusable"

ATTEMPTS = RETRIES["datahub"].tries
CONCURRENCY = 8  # requests in flight; a walk's pages and chunks share it
TIMEOUT = httpx.Timeout(30.0, connect=5.0)  # seconds; DataHub's own graph queries may take 50 s, its SDK waits 30
AWAY = frozenset({429, 502, 503, 504})
#: an address without parameters, taken apart once: a walk asks the same few hundreds of times
find_url = lru_cache(maxsize=256)(httpx.URL)
TOKEN_HINT = "set TETHER_DATAHUB_TOKEN to a personal access token that the server accepts"  # noqa: S105 - a sentence

GMS_HINT = "is this the metadata service (GMS)? Check --catalog or TETHER_DATAHUB_URL."


class Unusable(Exception):  # noqa: N818 - it is not an error of this program
    """The server answered, but not with what was asked. `status` is the HTTP status, None for a malformed body."""

    def __init__(self, reason: str, *, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(slots=True)
class Tally:
    """What one fetch cost, why its answer is not whole, and the urns of which something is missing."""

    requests: int = 0
    reasons: list[str] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)

    @contextmanager
    def about(self, urns: Iterable[str]) -> Iterator[Tally]:
        """A tally for requests about these urns alone: what goes wrong there leaves something of them unread."""
        part = Tally()
        try:
            yield part
        finally:
            self.requests += part.requests
            self.reasons += part.reasons
            self.unread |= part.unread
            if part.reasons:
                self.unread.update(urns)


def find_headers(token: str | None) -> dict[str, str]:
    """The headers of every request. Raises `Permanent` for a token that no header can carry (it would end up in a text)."""
    headers = {"Accept": "application/json", "User-Agent": "tether"}
    if token:
        if not token.isascii() or not token.isprintable() or " " in token:
            raise Permanent(
                "TETHER_DATAHUB_TOKEN holds blanks, line breaks or letters that no token has: copy the token again."
            )
        headers["Authorization"] = f"Bearer {token}"
    return headers


class DataHubWire:
    """One server. Usable from several event loops: connections belong to the loop that opened them."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        breaker: Breaker | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        retries: Retries = RETRIES["datahub"],
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        self._url = url.rstrip("/")
        self._headers = find_headers(token)
        self._transport = transport
        self._breaker = breaker or Breaker()
        self._sleep = sleep
        self._retries = retries
        self._timeout = timeout
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[httpx.AsyncClient, asyncio.Semaphore]] = (
            WeakKeyDictionary()
        )
        parsed = httpx.URL(self._url)
        self.host = parsed.host + (f":{parsed.port}" if parsed.port else "")

    def __repr__(self) -> str:
        return f"Wire({self.host})"

    async def aclose(self) -> None:
        """Close this event loop's connections."""
        client, _ = self._loops.pop(asyncio.get_running_loop(), (None, None))
        if client is not None:
            await client.aclose()

    async def get(self, path: str, *, params: Params = (), tally: Tally | None = None) -> Any:
        """The JSON behind GET `path`. Raises `Transient`, `Permanent`, `Unusable`."""
        return await self._ask("GET", path, params, None, tally or Tally())

    async def post(self, path: str, body: object, *, params: Params = (), tally: Tally | None = None) -> Any:
        """The JSON that POST `path` answers. Only for requests that read: they are sent again after a failure.

        `body`: what JSON can say, or its text already.
        """
        content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        return await self._ask("POST", path, params, content, tally or Tally())

    async def post_graphql(
        self, document: str, variables: Mapping[str, object], *, tally: Tally | None = None
    ) -> Mapping[str, Any]:
        """`data` of one query. DataHub answers 200 with `errors`, and with partial data beside them: any error counts."""
        answer = await self.post("/api/graphql", {"query": document, "variables": dict(variables)}, tally=tally)
        if not isinstance(answer, dict):
            raise Unusable(f"DataHub at {self.host} answered a GraphQL query with no object.")
        errors = answer.get("errors")
        if errors:
            raise self._graphql_failure(errors)
        data = answer.get("data")
        if not isinstance(data, dict):
            raise Unusable(f"DataHub at {self.host} answered a GraphQL query without data.")
        return data

    def _graphql_failure(self, errors: object) -> Exception:
        first = errors[0] if isinstance(errors, list) and errors else {}
        first = first if isinstance(first, dict) else {}
        extensions = first.get("extensions")
        code = extensions.get("code") if isinstance(extensions, dict) else None
        message = str(first.get("message", "no message"))[:300]
        if code in (401, 403):
            return Permanent(f"DataHub at {self.host} does not allow this GraphQL query ({message}): {TOKEN_HINT}.")
        if code == 503:
            return Transient(f"DataHub at {self.host} could not answer a GraphQL query for now ({message}).")
        return Unusable(f"DataHub at {self.host} refused a GraphQL query: {message}")

    async def _ask(self, method: str, path: str, params: Params, content: bytes | None, tally: Tally) -> Any:
        wait = self._breaker.find_wait()
        if wait is not None:
            raise Transient(
                f"DataHub at {self.host} failed several times in a row and is left alone for {wait:.0f} s.",
                retry_after=wait,
            )
        failures = 0
        while True:
            outcome = await self._send(method, path, params, content, tally)
            failures += 1
            pause = self._retries.find_pause(failures, _find_asked(outcome)) if _may_help(outcome) else None
            if pause is None:
                break
            await self._sleep(pause)
        if isinstance(outcome, Transient):
            self._breaker.failed()
        else:
            self._breaker.succeeded()  # it is up, whatever it thinks of the request
        if isinstance(outcome, Exception):
            raise outcome
        return outcome[0]

    async def _send(self, method: str, path: str, params: Params, content: bytes | None, tally: Tally) -> Outcome:
        client, semaphore = self._open()
        headers = {"Content-Type": "application/json"} if content is not None else None
        tally.requests += 1
        try:
            async with semaphore:
                url = self._url + path if params else find_url(self._url + path)
                response = await client.request(
                    method, url, params=list(params) or None, content=content, headers=headers
                )
        except httpx.TransportError as exc:
            # only the kind of failure: a library's message may quote what was sent
            return Transient(f"DataHub at {self.host} could not be asked for {path} ({type(exc).__name__}): {GMS_HINT}")
        return self._read(path, response)

    def _open(self) -> tuple[httpx.AsyncClient, asyncio.Semaphore]:
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            client = httpx.AsyncClient(headers=self._headers, timeout=self._timeout, transport=self._transport)
            self._loops[loop] = (client, asyncio.Semaphore(CONCURRENCY))
        return self._loops[loop]

    def _read(self, path: str, response: httpx.Response) -> Outcome:
        status = response.status_code
        if status in AWAY:
            after = _find_retry_after(response.headers.get("Retry-After"))
            return Transient(f"DataHub at {self.host} answered {status} to {path}.", retry_after=after)
        if status in (401, 403):
            what = "does not accept the token" if status == 401 else "forbids the token to read"
            return Permanent(f"DataHub at {self.host} {what} ({status} on {path}): {TOKEN_HINT}.")
        if status >= 300:
            hint = f": {GMS_HINT}" if status == 404 else "."
            return Unusable(f"DataHub at {self.host} answered {status} to {path}{hint}", status=status)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            return Unusable(
                f"DataHub at {self.host} answered {path} with a web page instead of JSON; TETHER_DATAHUB_URL must be the"
                " metadata service (often port 8080, or /api/gms behind the web interface).",
                status=status,
            )
        try:
            return (response.json(),)
        except ValueError:
            return Unusable(f"DataHub at {self.host} answered {path} with broken JSON.")


def _may_help(outcome: Outcome) -> bool:
    """Whether asking again may help: not after a refusal."""
    match outcome:
        case Transient():
            return True
        case Unusable():
            return outcome.status is None  # a body that broke off
        case _:
            return False


def _find_asked(failure: Outcome) -> float | None:
    """The pause that the server asks for, in seconds."""
    return failure.retry_after if isinstance(failure, Transient) else None


def _find_retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header; its date form is not used by DataHub and counts as not told."""
    try:
        seconds = float(value) if value is not None else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < 86_400 else None
