"""A served sandbox with one App installed on one organization, and a receiver for its webhooks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from app.standin.github import AppRecord, GitHubWorld, InstallationRecord, RepoRecord, ServingGitHub
from tests.keys import app_key

PERMISSIONS = {
    "contents": "write",
    "checks": "write",
    "pull_requests": "write",
    "statuses": "write",
    "administration": "write",
    "merge_queues": "read",
}
R = "/repos/acme/warehouse"


@dataclass
class Receiver:
    """Where webhooks arrive. `status` is what it answers; `delay` how long it thinks first."""

    url: str
    status: int = 202
    delay: float = 0.0
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def events(self) -> list[tuple[str, str | None]]:
        return [(headers["x-github-event"], json.loads(body).get("action")) for headers, body in list(self.got)]

    def payload(self, event: str, action: str | None = None) -> dict[str, Any]:
        """The newest payload of an event."""
        for headers, body in reversed(self.got):
            payload: dict[str, Any] = json.loads(body)
            if headers["x-github-event"] == event and action in (None, payload.get("action")):
                return payload
        raise AssertionError(f"no {event} {action} in {self.events()}")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Inbox(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            time.sleep(found.delay)
            found.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(found.status)
            self.end_headers()
            self.wfile.write(b"thanks")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the overridden name
            """Keep the test output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Inbox)
    found = Receiver(f"http://127.0.0.1:{server.server_port}/webhooks/github")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Tenant:
    """One installed App and its clients. `http` carries an installation token, `app_http` the App's JWT."""

    github: ServingGitHub
    app: AppRecord
    installation: InstallationRecord
    repo: RepoRecord
    http: httpx.Client
    app_http: httpx.Client

    @property
    def world(self) -> GitHubWorld:
        return self.github.world

    def token(self, **body: Any) -> str:
        answer = self.app_http.post(f"/app/installations/{self.installation.id}/access_tokens", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    def client(self, token: str | None) -> httpx.Client:
        return new_client(self.github.url, token)

    def open_drop(self, branch: str = "drop") -> tuple[int, str]:
        """A pull request that drops a column: its number and head."""
        changes = {"migrations/0002_drop.sql": "ALTER TABLE orders DROP COLUMN discount_pct;\n"}
        sha = self.world.push(self.repo, branch, changes, "Drop discount_pct")
        return self.world.open_pull(self.repo, branch, "main", "Drop discount_pct"), sha


def new_client(url: str, token: str | None) -> httpx.Client:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=10)


def make_jwt(app: AppRecord, **claims: Any) -> str:
    now = int(time.time())
    return jwt.encode({"iss": app.client_id, "iat": now - 60, "exp": now + 540, **claims}, app.private_key_pem, "RS256")


@pytest.fixture
def github(tmp_path: Path) -> Iterator[ServingGitHub]:
    with ServingGitHub(tmp_path / "github") as serving:
        yield serving


@pytest.fixture
def tenant(github: ServingGitHub, receiver: Receiver) -> Iterator[Tenant]:
    world = github.world
    org = world.create_org("acme")
    app = world.create_app(
        "Tether",
        PERMISSIONS,
        ["pull_request", "push", "merge_group"],
        webhook_url=receiver.url,
        owner=org,
        private_key_pem=app_key(),
    )
    files = {"migrations/0001_orders.sql": "CREATE TABLE orders (id int, discount_pct int);\n", "README.md": "orders\n"}
    repo = world.create_repo(org, "warehouse", files)
    installation = world.install(app, org, [repo])
    app_http = new_client(github.url, make_jwt(app))
    found = Tenant(github, app, installation, repo, app_http, app_http)
    found.http = found.client(found.token())
    yield found
    assert world.wait_for_deliveries()
    found.http.close()
    app_http.close()
