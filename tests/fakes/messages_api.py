"""Anthropic's Messages API on a local port: answers what a test tells it, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class MessagesApi:
    """`status`, `body` (bytes, or a value that is sent as JSON) and `delay` (seconds) of every next answer."""

    def __init__(self) -> None:
        self.status, self.body, self.delay = 200, b"", 0.0
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def say(self, text: str, *, stop: str = "end_turn") -> None:
        """A whole message with one text."""
        self.answer([{"type": "text", "text": text}], stop=stop)

    def answer(self, content: Any, *, stop: Any = "end_turn") -> None:
        self.status = 200
        self.body = json.dumps(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-5-5",
                "content": content,
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        ).encode()

    def propose(self, **reading: Any) -> None:
        """A reading in the form that was asked for, what is not named is null."""
        keys = (
            "reading",
            "path",
            "first_line",
            "last_line",
            "hole_path",
            "hole_line",
            "hole",
            "value",
            "feature",
            "routine",
        )
        self.say(json.dumps({**dict.fromkeys(keys), **reading}))

    def fail(self, status: int) -> None:
        self.status = status
        self.body = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}).encode()


@contextmanager
def run_messages_api() -> Iterator[MessagesApi]:
    """A server of its own, gone afterwards."""
    api = MessagesApi()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            asked: Mapping[str, Any] = json.loads(self.rfile.read(length))
            api.asked.append({"path": self.path, "headers": dict(self.headers), **asked})
            time.sleep(api.delay)
            self.send_response(api.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(api.body)))
            self.end_headers()
            self.wfile.write(api.body)

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
