"""Serves a world on a real port, in a background thread, and the ASGI application for whoever serves it otherwise."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from pathlib import Path
from types import TracebackType

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.standin.github.asgi import Site, create_site_app
from app.standin.github.world import GitHubWorld

_START_SECONDS = 15.0


class _Connections:
    """The open connections by client address, so that a planned fault can cut one."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], asyncio.Transport] = {}

    def protocol(self) -> type[H11Protocol]:
        """uvicorn's protocol, with every connection noted."""
        connections = self._open

        class Noted(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
                connections[tuple(transport.get_extra_info("peername")[:2])] = transport
                super().connection_made(transport)

            def connection_lost(self, exc: Exception | None) -> None:
                connections.pop(tuple(self.transport.get_extra_info("peername")[:2]), None)
                super().connection_lost(exc)

        return Noted

    def drop(self, client: tuple[str, int]) -> None:
        """Cut a client's connection without an answer."""
        transport = self._open.get((client[0], client[1]))
        if transport is not None:
            transport.abort()


def create_app(world: GitHubWorld, *, connections: _Connections | None = None) -> ASGIApp:
    """The world as an ASGI application. Without `connections` a planned "drop" is answered with 500 instead."""
    noted = connections or _Connections()
    return create_site_app(Site(world.state, world.events, world.faults, world.quota, noted.drop))


class ServingGitHub:
    """`with ServingGitHub(directory) as github:` serves a `GitHubWorld` at `github.url` until the block ends.

    A world that is passed in stays the caller's to close; one made here is closed at the end. `pages`: also answer the
    links of pull requests, check runs and files with plain pages, to whoever asks; for a demo.
    """

    def __init__(
        self,
        world: GitHubWorld | Path | str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        web_url: str | None = None,
        pages: bool = False,
    ) -> None:
        self._own = not isinstance(world, GitHubWorld)
        self.world = world if isinstance(world, GitHubWorld) else GitHubWorld(world)
        self._socket = socket.socket(
            socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        )  # named, so that asyncio sets TCP_NODELAY
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((host, port))
        self.url = f"http://{host}:{self._socket.getsockname()[1]}"
        self.world.state.api_url = self.url
        self.world.state.web_url = web_url or self.url
        self.world.state.pages = pages
        connections = _Connections()
        config = uvicorn.Config(
            create_app(self.world, connections=connections),
            http=connections.protocol(),
            lifespan="off",
            log_config=None,
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="sandbox-github", daemon=True
        )

    def start(self) -> ServingGitHub:
        """Serve; returns once requests are answered. Raises RuntimeError when the server does not come up."""
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise RuntimeError("the GitHub sandbox did not start")
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=_START_SECONDS)
        self._socket.close()
        if self._own:
            self.world.close()

    def __enter__(self) -> ServingGitHub:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
