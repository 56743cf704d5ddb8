"""One connection pool per event loop beneath githubkit's clients.

githubkit keeps its open client in a ContextVar, so that a task which did not inherit it silently opens, and closes, a new
client with new TLS connections for each request. Jobs run in tasks (and loops) that nobody here controls: the pool lives
in this transport instead, which survives the closing of the client above it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final
from weakref import WeakKeyDictionary

import httpx

#: GitHub allows 100 concurrent requests for all clients of an App; one process takes a fair part of them
_LIMITS: Final = httpx.Limits(max_connections=32, max_keepalive_connections=16, keepalive_expiry=30)


class PooledTransport(httpx.AsyncBaseTransport):
    """Forwards requests to the running loop's client. `close_pool` closes that client; `aclose` leaves it open."""

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None) -> None:
        self._inner = inner  # tests pass one; otherwise the environment's proxies and certificates apply
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._client().send(request, stream=True, auth=None, follow_redirects=False)
        # The stream is passed on raw: the client above decodes it.
        return httpx.Response(
            answer.status_code, headers=answer.headers, stream=answer.stream, extensions=answer.extensions
        )

    def stream(
        self, url: str, *, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AbstractAsyncContextManager[httpx.Response]:
        """GET, the body unread: for what is too large to be held in memory. Redirects are not followed."""
        return self._client().stream("GET", url, headers=dict(headers), timeout=timeout, follow_redirects=False)

    async def close_pool(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _client(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = httpx.AsyncClient(
                transport=self._inner,
                limits=_LIMITS,
                timeout=None,  # noqa: S113 - every request carries the timeouts of the client above
            )
        return self._clients[loop]
