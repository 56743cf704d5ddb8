"""The whole server around fakes at its ports: a signed delivery becomes a concluded check; health says what is broken."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi.testclient import TestClient

from app.edges.store import engine
from app.jobs.queue import QueueOptions
from app.main import Clients, create_app
from app.ports import Ports
from app.settings import Settings, SettingsError
from app.verdict import RULES
from app.words import Permanent
from tests.fakes.catalog import FakeCatalogWrites
from tests.fakes.forge import FakeForge
from tests.review.shop import Nothing

QUICK = QueueOptions(backoff=(0.1,), poll=0.05, beat=0.5)
AUTH = {"Authorization": "Bearer letmein"}


def settings(path: Path, **changes: Any) -> Settings:
    return Settings(
        **{
            "github_app_id": "1",
            "github_private_key": _key(),
            "github_webhook_secret": "s3cret",
            "datahub_url": "http://127.0.0.1:9",
            "database_url": f"sqlite:///{path}/main.db",
            "admin_token": "letmein",
            "stop_grace_seconds": 1,
            **changes,
        }
    )


def _key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = serialization.Encoding.PEM
    return key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


class Doors:
    """Fakes at every port, and probes that can be told to fail."""

    def __init__(self) -> None:
        self.forge = FakeForge()
        self.broken: dict[str, Exception] = {}
        self.closed: list[str] = []
        nothing: Any = Nothing()
        self.clients = Clients(
            ports=Ports(self.forge, nothing, FakeCatalogWrites(), nothing),
            close=lambda: self._close("ports"),
            probes={name: lambda name=name: self._probe(name) for name in ("github", "catalog")},  # type: ignore[misc]
            close_probes=lambda: self._close("probes"),
        )

    async def _close(self, what: str) -> None:
        self.closed.append(what)

    async def _probe(self, name: str) -> dict[str, str]:
        if name in self.broken:
            raise self.broken[name]
        return {"seen": name}


@pytest.fixture
def doors() -> Doors:
    return Doors()


@pytest.fixture
def client(doors: Doors, tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(settings(tmp_path), clients=doors.clients, options=QUICK)) as client:
        yield client


def deliver(client: TestClient, payload: dict[str, Any], *, signer: str = "s3cret") -> Any:
    body = json.dumps(payload).encode()
    digest = hmac.new(signer.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": "guid-1",
        "X-Hub-Signature-256": f"sha256={digest}",
        "Content-Type": "application/json",
    }
    return client.post("/webhooks/github", content=body, headers=headers)


def opened() -> dict[str, Any]:
    repository = {"id": 1, "full_name": "acme/warehouse", "default_branch": "main"}
    return {
        "action": "opened",
        "installation": {"id": 9},
        "repository": repository,
        "sender": {"login": "ada", "type": "User"},
        "pull_request": {
            "number": 7,
            "state": "open",
            "draft": False,
            "merged": False,
            "updated_at": "2026-01-01T00:00:01Z",
            "head": {"sha": "a" * 40, "repo": repository},
            "base": {"sha": "b" * 40, "ref": "main", "repo": repository},
        },
    }


def test_a_signed_delivery_becomes_one_concluded_check(client: TestClient, doors: Doors) -> None:
    doors.forge.add_repo(1, "acme/warehouse", {"README.md": "hello"})
    doors.forge.add_commit(1, "a" * 40, {"README.md": "hello again"}, parent="base")
    doors.forge.add_pull(1, 7, "a" * 40)
    assert deliver(client, opened()).json() == {"status": "accepted"}
    assert deliver(client, opened()).json() == {"status": "duplicate"}
    until = time.monotonic() + 15
    while time.monotonic() < until:
        runs = doors.forge.check_runs("a" * 40)
        if runs and runs[0].output is not None:
            break
        time.sleep(0.05)
    (run,) = doors.forge.check_runs("a" * 40)
    assert run.history == ["success"]
    while client.get("/admin/health", headers=AUTH).json()["queue"]["depth"]:
        time.sleep(0.05)
    assert client.get("/admin/health", headers=AUTH).json()["reviews"]["last"]["word"] == "pass"


def test_a_forged_delivery_is_refused(client: TestClient) -> None:
    assert deliver(client, opened(), signer="guessed").status_code == 401
    assert client.get("/admin/health", headers=AUTH).json()["queue"]["depth"] == 0


def test_up(client: TestClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer no"}, {"Authorization": "Basic letmein"}])
def test_health_is_for_the_admin(client: TestClient, header: dict[str, str]) -> None:
    answer = client.get("/admin/health", headers=header)
    assert answer.status_code == 401
    assert "queue" not in answer.json()


def test_without_an_admin_token_there_is_no_such_page(doors: Doors, tmp_path: Path) -> None:
    app = create_app(settings(tmp_path, admin_token=None), clients=doors.clients, options=QUICK)
    with TestClient(app) as client:
        assert client.get("/admin/health", headers={"Authorization": "Bearer "}).status_code == 404


def test_health_tells_all_parts(client: TestClient) -> None:
    answer = client.get("/admin/health", headers=AUTH)
    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == "ok"
    assert body["github"] == {"ok": True, "seen": "github"}
    assert {"depth", "oldest_s", "dead", "executors"} <= body["queue"].keys()
    assert body["reviews"] == {"ok": True, "last": None}


def test_it_is_ready_while_it_can_store(doors: Doors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PRAGMAS", (*engine.PRAGMAS, "busy_timeout=1000"))
    with TestClient(create_app(settings(tmp_path), clients=doors.clients, options=QUICK)) as client:
        assert client.get("/readyz").json() == {"status": "ready"}
        other = sqlite3.connect(tmp_path / "main.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answers = [client.get("/readyz"), client.get("/healthz")]
        other.execute("ROLLBACK")
        other.close()

    assert [answer.status_code for answer in answers] == [503, 200]
    assert answers[0].json() == {"status": "not ready", "part": "database"}


@pytest.mark.parametrize(
    ("error", "reason"),
    [(Permanent("the token is not valid"), "the token is not valid"), (ValueError("pw=hunter2"), "ValueError")],
)
def test_one_broken_part_is_a_503_that_names_it(
    client: TestClient, doors: Doors, error: Exception, reason: str
) -> None:
    doors.broken["catalog"] = error
    answer = client.get("/admin/health", headers=AUTH)
    assert answer.status_code == 503
    assert answer.json()["catalog"]["ok"] is False
    assert reason in answer.json()["catalog"]["reason"]
    assert "hunter2" not in answer.text
    assert answer.json()["github"]["ok"] is True


def test_stopping_closes_what_was_opened(doors: Doors, tmp_path: Path) -> None:
    with TestClient(create_app(settings(tmp_path), clients=doors.clients, options=QUICK)):
        pass
    assert doors.closed == ["probes"], "no review ran, so nothing of the reviews' was opened"


def test_no_secret_no_server(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="TETHER_GITHUB_WEBHOOK_SECRET is not set"):
        create_app(settings(tmp_path, github_webhook_secret=None))


def test_the_server_starts_while_everything_else_is_away(tmp_path: Path) -> None:
    app = create_app(settings(tmp_path, github_api_url="http://127.0.0.1:9"), options=QUICK)
    with TestClient(app) as client:
        assert client.get("/healthz").status_code == 200
        answer = client.get("/admin/health", headers=AUTH)
    assert answer.status_code == 503
    assert answer.json()["github"]["ok"] is False
    assert answer.json()["catalog"]["ok"] is False
    assert answer.json()["queue"]["ok"] is True


def test_every_rule_has_a_page_that_needs_no_token(client: TestClient) -> None:
    index = client.get("/rules").text

    for rule in RULES:
        assert f'href="rules/{rule.id}"' in index
        page = client.get(f"/rules/{rule.id}")
        assert (page.status_code, rule.id in page.text) == (200, True)
    assert client.get("/rules/%3Cscript%3E").status_code == 404
