"""Serving a catalog: in the foreground (`tether catalog serve`), or in a thread of this process on a free port."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn

from app.catalog.server import create_app
from app.catalog.store import MEMORY, CatalogStore

_START_SECONDS = 30.0


def run(path: str | Path, host: str, port: int, token: str | None = None) -> None:
    """Serves the file until interrupted; blocks. The file is made if it does not exist. Raises `UnusableFile`."""
    with CatalogStore(path) as store:
        uvicorn.run(create_app(store, token=token), host=host, port=port, log_level="info", access_log=False)


class ServingCatalog:
    """A catalog that answers on `url` for the length of a `with` block; `store` is there to load and look into.

    `port=0` takes a free one. Without a store of the caller's, it serves (and closes) one of its own at `path`.
    """

    def __init__(
        self,
        store: CatalogStore | None = None,
        *,
        path: str | Path = MEMORY,
        token: str | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self._owned = store is None
        self.store = CatalogStore(path) if store is None else store
        self.token = token
        self._address = (host, port)

    @property
    def url(self) -> str:
        """Base URL, without a slash at its end; known once the block is entered."""
        return f"http://{self._address[0]}:{self._address[1]}"

    def __enter__(self) -> Self:
        self._socket = socket.socket(
            socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        )  # named, so that asyncio sets TCP_NODELAY
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(self._address)
        self._address = (self._address[0], self._socket.getsockname()[1])
        # Requests under way get a moment to end; a client that never reads its answer does not keep us alive.
        config = uvicorn.Config(
            create_app(self.store, token=self.token),
            log_config=None,  # it would set up logging for the whole process, in which this is one thread
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="tether-catalog", daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self._stop()
                raise RuntimeError(f"the embedded catalog did not start on {self.url}")
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=_START_SECONDS)
        self._socket.close()
        if self._owned:
            self.store.close()
