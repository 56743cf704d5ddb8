"""A GitHub on a real port, one organisation, one repository with a pull request, and the App that is under test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from app.edges.github import GitHubForges, InstallationForge
from app.standin.github import AppRecord, GitHubWorld, InstallationRecord, ServingGitHub
from app.words import Repo
from tests.keys import app_key

T = TypeVar("T")
PERMISSIONS = {
    "metadata": "read",
    "contents": "read",
    "checks": "write",
    "pull_requests": "write",
    "merge_queues": "read",
}


async def no_sleep(_: float) -> None:
    """Between two tries of one request."""


@dataclass
class Site:
    """What tests need of it. `run` gives the work a fresh loop and fresh connections, as a job would have."""

    url: str
    world: GitHubWorld
    app: AppRecord
    installed: InstallationRecord
    repo: Repo
    number: int
    head: str
    base: str

    def forges(self, **more: object) -> GitHubForges:
        asked = {"sleep": no_sleep, **more}
        return GitHubForges(self.app.id, self.app.private_key_pem, self.url, **asked)  # type: ignore[arg-type]

    def run(self, work: Callable[[InstallationForge], Awaitable[T]], forges: GitHubForges | None = None) -> T:
        async def go() -> T:
            async with forges or self.forges() as opened:
                return await work(opened.installation(self.installed.id))

        return asyncio.run(go())

    def asked(self) -> list[str]:
        return [f"{request.method} {request.path}" for request in self.world.requests()]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    world = GitHubWorld(tmp_path)
    with ServingGitHub(world) as served:
        world.create_org("acme")
        repo = world.create_repo("acme", "warehouse", {"db/1.sql": "CREATE TABLE a (b INT);\n", "README.md": "x"})
        world.push(repo, "drop", {"db/2.sql": "ALTER TABLE a DROP COLUMN b;\n", "README.md": None}, parent="main")
        events = ("pull_request", "push", "merge_group")
        app = world.create_app("tether", PERMISSIONS, events, private_key_pem=app_key())
        installed = world.install(app, "acme")
        number = world.open_pull(repo, "drop")
        yield Site(
            url=served.url,
            world=world,
            app=app,
            installed=installed,
            repo=Repo(repo.id, "acme/warehouse"),
            number=number,
            head=world.branch_head(repo, "drop"),
            base=world.branch_head(repo, "main"),
        )
    world.close()
