"""ASGI applications for tests of clients: one that goes wrong on purpose, and a thread that serves any of them on a port."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class Answer:
    """What is sent instead of the real answer. `drop`: the real work is done, and the connection is closed unanswered."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    drop: bool = False


def json_answer(value: object, status: int = 200, **headers: str) -> Answer:
    named = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return Answer(status, json.dumps(value).encode(), (("Content-Type", "application/json"), *named))


@dataclass
class Faulty:
    """Wraps an application; `fault` sees (method, path, how many requests to that path came before) and may answer itself."""

    app: ASGIApp
    fault: Callable[[str, str, int], Answer | None]
    requests: list[tuple[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        key = (scope["method"], scope["path"])
        answer = self.fault(*key, self.requests.count(key))
        self.requests.append(key)
        self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        if answer is None:
            await self.app(scope, receive, send)
        elif answer.drop:
            await self.app(scope, receive, _ignore)
            # half an answer: the server closes the connection when the rest never comes
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        else:
            named = [(name.encode(), value.encode()) for name, value in answer.headers]
            await send({"type": "http.response.start", "status": answer.status, "headers": named})
            await send({"type": "http.response.body", "body": answer.body})


async def _ignore(message: Message) -> None:
    del message


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The application on a free port of this machine; yields its base URL."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False))
    # asyncio turns Nagle's algorithm off only for sockets that name their protocol; otherwise every answer takes 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        listener.close()
