"""The whole of it in one process: both sandboxes, an organisation, and Tether's own server in a thread, webhooks over HTTP."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn

from app.catalog import ServingCatalog
from app.jobs.queue import QueueOptions
from app.jobs.schedules import Times
from app.main import create_app
from app.settings import Settings
from app.standin.github import (
    AppRecord,
    CheckRun,
    FileContent,
    GitHubWorld,
    InstallationRecord,
    RepoRecord,
    ServingGitHub,
)
from tests.keys import app_key

QUICK = QueueOptions(backoff=(0.3, 1.0), poll=0.05, beat=0.5, times=Times(sweep="0 0 1 1 *"))
MANIFEST = json.loads((Path(__file__).parents[1] / "deploy" / "github-app.json").read_text())
ORG = "acme"
ADMIN = {"Authorization": "Bearer letmein"}


@dataclass
class Stage:
    """`serve` runs Tether; webhooks that come while it does not are failed deliveries."""

    folder: Path
    world: GitHubWorld
    github: ServingGitHub
    catalog: ServingCatalog
    app: AppRecord
    port: int
    repos: dict[str, RepoRecord] = field(default_factory=dict)
    options: QueueOptions = QUICK
    spacing: float = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        return self.folder / "tether.db"

    def install(self) -> InstallationRecord:
        return self.world.install(self.app, ORG)

    def open(
        self, repo: str, branch: str, changes: Mapping[str, str | FileContent | None], *, title: str = "A change"
    ) -> int:
        """A pull request with these changes; its number."""
        self.world.push(self.repos[repo], branch, changes, title, parent="main")
        return self.world.open_pull(self.repos[repo], branch, title=title)

    def head(self, repo: str, number: int) -> str:
        return self.world.pull(self.repos[repo], number).head_sha

    def concluded(self, repo: str, sha: str, *, times: int = 1, seconds: float = 40) -> CheckRun:
        """The one check run of a commit, once it is concluded; `times` how often it was told, at least."""
        until = time.monotonic() + seconds
        runs: tuple[CheckRun, ...] = ()
        while time.monotonic() < until:
            runs = self.world.check_runs(self.repos[repo], sha)
            if runs and runs[-1].status == "completed" and self._told(runs[-1].id) >= times:
                assert len(runs) == 1, "one check run a head"
                return runs[0]
            time.sleep(0.02)
        raise AssertionError(f"not concluded within {seconds} s: {[(run.status, run.title) for run in runs]}")

    def _told(self, run_id: int) -> int:
        path = f"/check-runs/{run_id}"
        asked = self.world.requests()
        return sum(one.method == "PATCH" and one.path.endswith(path) and one.status == 200 for one in asked)

    def comments(self, repo: str, number: int) -> list[str]:
        return [c.body for c in self.world.comments(self.repos[repo], number) if c.user is self.app.bot]

    def idle(self, seconds: float = 40) -> None:
        """Wait until no job waits or runs."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.world.wait_for_deliveries()
            if httpx.get(f"{self.url}/admin/health", headers=ADMIN).json()["queue"]["depth"] == 0:
                return
            time.sleep(0.1)
        raise AssertionError("jobs are left")

    @contextmanager
    def serve(self) -> Iterator[None]:
        settings = Settings(
            github_app_id=str(self.app.id),
            github_private_key=self.app.private_key_pem,
            github_webhook_secret=self.app.webhook_secret,
            github_api_url=self.github.url,
            github_web_url=self.github.url,
            github_write_spacing=self.spacing,
            datahub_url=self.catalog.url,
            datahub_token=self.catalog.token,
            database_url=f"sqlite:///{self.database}",
            admin_token="letmein",
            stop_grace_seconds=5,
        )
        app = create_app(settings, options=self.options)
        config = uvicorn.Config(app, host="127.0.0.1", port=self.port, log_config=None, access_log=False, ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, name="tether", daemon=True)
        thread.start()
        until = time.monotonic() + 30
        while not server.started and time.monotonic() < until:
            assert thread.is_alive(), "Tether did not start"
            time.sleep(0.02)
        try:
            yield
        finally:
            server.should_exit = True
            thread.join(30)


@contextmanager
def set_stage(folder: Path, catalog_file: Path, repos: Mapping[str, Mapping[str, str]]) -> Iterator[Stage]:
    """Both sandboxes, the repositories, and the App registered, not yet installed; Tether does not run yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    catalog = ServingCatalog(path=folder / "catalog.db", token="catalog-token")
    world = GitHubWorld(folder / "github", webhook_url=f"http://127.0.0.1:{port}/webhooks/github")
    with catalog, ServingGitHub(world) as github:
        catalog.store.load_file(catalog_file)
        world.create_org(ORG)
        app = world.create_app(
            "Tether", MANIFEST["default_permissions"], MANIFEST["default_events"], owner=ORG, private_key_pem=app_key()
        )
        stage = Stage(folder, world, github, catalog, app, port)
        for name, files in repos.items():
            stage.repos[name] = world.create_repo(ORG, name, files)
        yield stage
    world.close()
