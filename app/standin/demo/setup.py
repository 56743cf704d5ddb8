"""What the demo runs on: a catalog loaded by DataHub's own SDK, a GitHub with two repositories and a protected branch, Tether."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import DatahubClientConfig

from app.catalog import ServingCatalog
from app.standin.github import AppRecord, GitHubWorld, RepoRecord, ServingGitHub
from app.words import Permanent

FILES = Path(__file__).parents[1] / "data"
#: stands in deploy/ for people; the wheel holds a copy beside the demo's data
MANIFESTS = (FILES / "github-app.json", FILES.parents[2] / "deploy" / "github-app.json")
ORG = "shop"
REPOSITORIES = ("warehouse", "features")
#: GitHub's name for the repository with an organisation's defaults, and the folder that it is made of here
DEFAULTS = (".github", "organisation")
CHECK = "tether"
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Setup:
    github: ServingGitHub
    catalog: ServingCatalog
    app: AppRecord
    warehouse: RepoRecord
    tether_url: str
    log: Path

    @property
    def world(self) -> GitHubWorld:
        return self.github.world

    def graph(self) -> DataHubGraph:
        """DataHub's own client, on the demo's catalog."""
        return connect(self.catalog.url, self.catalog.token)


def connect(url: str, token: str | None) -> DataHubGraph:
    return DataHubGraph(DatahubClientConfig(server=url, token=token))


@contextmanager
def start_setup(folder: Path) -> Iterator[Setup]:
    """Everything up and the App installed; GitHub's pages are served too, for a person to look at.

    Raises `Permanent` when the demo's files are not there or Tether does not start.
    """
    if not FILES.is_dir():
        raise Permanent(f"{FILES} is missing, which holds the demo's repositories: install Tether again")
    port = _free_port()
    tether_url = f"http://127.0.0.1:{port}"
    catalog = ServingCatalog(path=folder / "catalog.db", token=secrets.token_hex(16))
    world = GitHubWorld(folder / "github", webhook_url=f"{tether_url}/webhooks/github")
    with catalog, ServingGitHub(world, pages=True) as github:
        load_catalog(catalog)
        app, warehouse = _settle(world)
        log = folder / "tether.log"
        settings = _environment(folder, app, github, catalog)
        with _serve(settings, port, log):
            world.install(app, ORG)
            world.wait_for_deliveries()
            _await_idle(tether_url, settings["TETHER_ADMIN_TOKEN"], log)
            yield Setup(github, catalog, app, warehouse, tether_url, log)
    world.close()


def load_catalog(catalog: ServingCatalog) -> int:
    """Emit the demo's MCPs over HTTP with the SDK; how many."""
    proposals = [
        MetadataChangeProposalWrapper.from_obj(obj) for obj in json.loads((FILES / "catalog.json").read_text())
    ]
    with connect(catalog.url, catalog.token) as graph:
        graph.emit_mcps(proposals)
    return len(proposals)


def _settle(world: GitHubWorld) -> tuple[AppRecord, RepoRecord]:
    manifest = json.loads(next(path for path in MANIFESTS if path.is_file()).read_text())
    world.create_org(ORG)
    warehouse, _ = (world.create_repo(ORG, name, FILES / name) for name in REPOSITORIES)
    world.create_repo(ORG, DEFAULTS[0], FILES / DEFAULTS[1])
    app = world.create_app("Tether", manifest["default_permissions"], manifest["default_events"], owner=ORG)
    world.protect(warehouse, "main", {CHECK: app})
    return app, warehouse


def _environment(folder: Path, app: AppRecord, github: ServingGitHub, catalog: ServingCatalog) -> dict[str, str]:
    key = folder / "tether.pem"
    key.touch(mode=0o600)
    key.write_text(app.private_key_pem)
    return {
        "TETHER_GITHUB_APP_ID": str(app.id),
        "TETHER_GITHUB_PRIVATE_KEY_FILE": str(key),
        "TETHER_GITHUB_WEBHOOK_SECRET": app.webhook_secret,
        "TETHER_GITHUB_API_URL": github.url,
        "TETHER_GITHUB_WEB_URL": github.url,
        "TETHER_GITHUB_WRITE_SPACING": "0",  # this GitHub minds no haste
        "TETHER_DATAHUB_URL": catalog.url,
        "TETHER_DATAHUB_TOKEN": catalog.token or "",
        "TETHER_DATABASE_URL": f"sqlite:///{folder / 'tether.db'}",
        "TETHER_ADMIN_TOKEN": secrets.token_hex(16),
        "TETHER_CHECK_NAME": CHECK,
    }


@contextmanager
def _serve(settings: dict[str, str], port: int, log: Path) -> Iterator[None]:
    """`tether serve` in a process of its own, until the block ends."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TETHER_")}
    command = [sys.executable, "-m", "app.standin.demo.child", "--host", "127.0.0.1", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own program, an argument list
            command,
            env=inherited | settings,
            stdin=subprocess.PIPE,  # nothing is written to it: its end tells the child that we are gone
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=FILES.parents[2],
        )
        try:
            _await_health(process, f"http://127.0.0.1:{port}/healthz", log)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()


def _await_health(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    with httpx.Client(timeout=2) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                healthy = client.get(url).is_success
            except httpx.TransportError:
                healthy = False
            if healthy:
                return
            time.sleep(0.1)
    raise Permanent(f"tether serve did not start; the end of its log:\n{log.read_text(errors='replace')[-2000:]}")


def _await_idle(url: str, token: str, log: Path) -> None:
    """Until Tether has done what the installation asked for: it reads all repositories and repairs the graph."""
    deadline = time.monotonic() + START_SECONDS
    with httpx.Client(timeout=10, headers={"Authorization": f"Bearer {token}"}) as client:
        while time.monotonic() < deadline:
            queue = client.get(f"{url}/admin/health").json().get("queue", {})
            if queue.get("depth") == 0:
                return
            time.sleep(0.2)
    raise Permanent(f"the installation was not settled; the end of its log:\n{log.read_text(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
