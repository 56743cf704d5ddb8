"""The App itself: installations, and deliveries that nobody took."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TypeVar

import pytest

from app.edges.github import AppClient, FailedDelivery
from app.edges.github.app import EVENTS, REQUIRED
from app.edges.github.wire import Pace
from tests.edges.github.conftest import Site

T = TypeVar("T")


class Door:
    """A webhook that answers with `status`, over real HTTP."""

    def __init__(self) -> None:
        self.status = 202
        door = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(door.status)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks/github"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def door() -> Iterator[Door]:
    made = Door()
    yield made
    made.close()


def _run(site: Site, work: Callable[[AppClient], Awaitable[T]]) -> T:
    async def go() -> T:
        async with site.forges() as forges:
            return await work(forges.app)

    return asyncio.run(go())


def _pushes(site: Site, since: datetime) -> list[FailedDelivery]:
    failed = _run(site, lambda app: app.fetch_failed_deliveries(since=since))
    return [one for one in failed if one.event == "push"]


def test_installations_say_what_they_were_granted(site: Site) -> None:
    before = _run(site, lambda app: app.fetch_installations())
    site.world.suspend(site.installed)
    after = _run(site, lambda app: app.fetch_installation(site.installed.id))

    assert [(one.id, one.account, one.suspended, one.missing_permissions) for one in before] == [
        (site.installed.id, "acme", False, ())
    ]
    assert after.suspended


def test_only_deliveries_that_never_came_through_are_listed(site: Site, door: Door) -> None:
    world, since = site.world, datetime.now(UTC) - timedelta(days=3)
    site.app.webhook_url = door.url
    world.push(site.repo.id, "main", {"taken.sql": "SELECT 1;"})
    world.wait_for_deliveries()
    door.status = 503
    world.push(site.repo.id, "main", {"lost.sql": "SELECT 1;"})
    world.push(site.repo.id, "main", {"saved.sql": "SELECT 1;"})
    world.wait_for_deliveries()

    failed = _pushes(site, since)
    assert len(failed) == 2

    door.status = 202
    _run(site, lambda app: app.redeliver(failed[0].id))
    world.wait_for_deliveries()

    assert [one.guid for one in _pushes(site, since)] == [failed[1].guid]
    assert _pushes(site, datetime.now(UTC) + timedelta(minutes=1)) == []


def test_the_manifest_asks_for_what_the_code_needs() -> None:
    manifest = json.loads((Path(__file__).parents[3] / "deploy/github-app.json").read_text())

    assert manifest["default_permissions"] == REQUIRED
    assert sorted(manifest["default_events"]) == sorted(EVENTS)
    assert manifest["hook_attributes"]["url"].endswith("/webhooks/github")


def test_writes_of_one_installation_are_spaced() -> None:
    async def go() -> float:
        pace, started = Pace(0.05), time.monotonic()
        await asyncio.gather(*(pace.turn() for _ in range(4)))
        return time.monotonic() - started

    assert asyncio.run(go()) >= 0.15
