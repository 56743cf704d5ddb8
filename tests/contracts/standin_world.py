"""The contract's world over the GitHub stand-in, asked through the real adapter over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Literal

import httpx
from starlette.types import Receive, Scope, Send

from app.edges.github import GitHubForges
from app.ports import Forges
from app.standin.github import CheckRun, FileContent, GitHubWorld, InstallationRecord, ServingGitHub
from app.words import Repo
from tests.contracts.forge_world import BASE, CHANGE, Changes, ForgeWorld, ShownRun, ShownSuggestion
from tests.edges.github.conftest import no_sleep
from tests.fakes.serving import serving
from tests.keys import app_key

PERMISSIONS = {"metadata": "read", "contents": "read", "checks": "write", "pull_requests": "write"}
EVERYTHING = ".*"


@dataclass
class Door:
    """A webhook that answers pushes with `status`, and takes everything else."""

    url: str = ""
    status: int = 503

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await receive()
            status = self.status if (b"x-github-event", b"push") in scope["headers"] else 202
            await send({"type": "http.response.start", "status": status, "headers": []})
            await send({"type": "http.response.body", "body": b""})


@dataclass
class Served:
    """One GitHub for many tests, each with an organisation and an App of its own; keys are slow to make."""

    world: GitHubWorld
    url: str
    door: Door
    key: str
    numbers: Iterator[int] = field(default_factory=count)


@contextmanager
def open_site(directory: Path) -> Iterator[Served]:
    world, door = GitHubWorld(directory), Door()
    with ServingGitHub(world) as github, serving(door) as url:
        door.url = url
        yield Served(world, github.url, door, app_key())
    world.close()


class StandInWorld(ForgeWorld):
    def __init__(self, served: Served) -> None:
        self.served, self.world = served, served.world
        self.world.clear_faults()
        self.world.forget_requests()
        self.owner = f"acme{next(served.numbers)}"
        self.world.create_org(self.owner)
        made = self.world.create_repo(self.owner, "warehouse", BASE)
        self.repo = Repo(made.id, f"{self.owner}/warehouse")
        self.app = self.world.create_app(f"tether {self.owner}", PERMISSIONS, ("push",), private_key_pem=served.key)
        self.installed = self.world.install(self.app, self.owner)
        self.installations: dict[int, InstallationRecord] = {self.installed.id: self.installed}
        self.installation_id = self.installed.id
        self.base, self.head = self.world.branch_head(made.id, "main"), self.push("drop", CHANGE)
        self.number = self.open_pull("drop")

    def opened(self) -> AbstractAsyncContextManager[Forges]:
        return GitHubForges(self.app.id, self.app.private_key_pem, self.served.url, sleep=no_sleep)

    def add_repo(
        self, name: str, files: Mapping[str, str | bytes], *, visibility: Literal["public", "private"]
    ) -> Repo:
        made = self.world.create_repo(self.owner, name, files, private=visibility == "private")
        return Repo(made.id, f"{self.owner}/{name}", visibility=visibility)

    def rename(self, repo: Repo, name: str) -> None:
        self.world.rename_repo(repo.id, name)

    def take_away(self, repo: Repo) -> None:
        self.world.remove_repositories(self.installed, repo.id)

    def push(self, branch: str, changes: Changes) -> str:
        return self.world.push(self.repo.id, branch, changes)

    def push_link(self, branch: str, path: str, target: str) -> str:
        return self.world.push(self.repo.id, branch, {path: FileContent(target.encode(), "120000")})

    def cut_listing(self, commit: str) -> None:
        self.world.limits.tree_entries = 1

    def open_pull(self, branch: str) -> int:
        return self.world.open_pull(self.repo.id, branch)

    def close_pull(self, number: int) -> None:
        self.world.close_pull(self.repo.id, number)

    def merge_pull(self, number: int) -> None:
        self.world.merge(self.repo.id, number)

    def open_pull_of_lost_fork(self) -> int:
        eve = self.world.create_user(f"eve-{self.owner}")
        fork = self.world.fork(self.repo.id, eve)
        self.world.push(fork, "evil", {"db/2.sql": "DROP TABLE a;\n"})
        number = self.world.open_pull(fork, "evil", fork_of=self.repo.id)
        self.world.delete_fork(fork)
        return number

    def comment_as_person(self, number: int, body: str) -> int:
        return self.world.comment(self.repo.id, number, body).id

    def suggest_as_person(self, number: int, body: str) -> None:
        token = str(self.world.account(None).token)
        remark = {"body": body, "commit_id": self.head, "path": "db/2.sql", "line": 1, "side": "RIGHT"}
        path = f"{self.served.url}/repos/{self.repo.full_name}/pulls/{number}/comments"
        answer = httpx.post(path, json=remark, headers={"Authorization": f"Bearer {token}"}, trust_env=False)
        assert answer.status_code == 201, answer.text

    def run_of_another_app(self, commit: str, name: str) -> None:
        other = self.world.create_app(f"copycat {self.owner}", PERMISSIONS, private_key_pem=self.served.key)
        mine, self.app = self.app, other
        theirs = self.world.install(other, self.owner)
        self.run_app(
            lambda forges: forges.installation(theirs.id).create_check_run(
                self.repo, commit, name, external_id="theirs"
            )
        )
        self.app = mine

    def delete_comment(self, comment_id: int) -> None:
        self.world.delete_comment(comment_id)

    def comments(self, number: int) -> list[tuple[int, str]]:
        return [(one.id, one.body) for one in self.world.comments(self.repo.id, number)]

    def runs(self, commit: str) -> list[ShownRun]:
        return [_shown(run) for run in self.world.check_runs(self.repo.id, commit) if run.app is self.app]

    def suggestions(self, number: int) -> list[ShownSuggestion]:
        return [
            ShownSuggestion(one.path, one.start or one.line, one.line, one.body)
            for one in self.world.state.review_comments.values()
            if (one.repo.id, one.number, one.app) == (self.repo.id, number, self.app)
        ]

    def add_installation(self) -> int:
        org = self.world.create_org(f"other-{self.owner}")
        made = self.world.install(self.app, org)
        self.installations[made.id] = made
        return made.id

    def suspend(self, installation_id: int) -> None:
        self.world.suspend(self.installations[installation_id])

    def uninstall(self, installation_id: int) -> None:
        self.world.uninstall(self.installations[installation_id])

    def fail_delivery(self, *, attempts: int = 1, ago: timedelta = timedelta()) -> int:
        self.app.webhook_url, self.served.door.status = self.served.door.url, 503
        self.world.push(self.repo.id, "main", {"lost.sql": f"SELECT {len(self.world.deliveries(self.app))};\n"})
        assert self.world.wait_for_deliveries()
        last = self.world.deliveries(self.app, "push")[-1]
        for _ in range(attempts - 1):
            last = self.world.redeliver(last)
            assert self.world.wait_for_deliveries()
        for one in self.world.deliveries(self.app):
            if one.guid == last.guid and one.delivered_at is not None:
                one.delivered_at -= ago
        self.served.door.status = 202
        return last.id

    def redeliveries(self) -> int:
        asked = [request for request in self.world.requests() if request.method == "POST"]
        return len([one for one in asked if one.path.endswith("/attempts") and one.status == 202])

    def go_away(self) -> None:
        self.world.fail_next("*", EVERYTHING, 502, times=1_000)

    def refuse(self) -> None:
        self.world.change_permissions(self.app, {"metadata": "read"})
        self.world.accept_permissions(self.installed)


def _shown(run: CheckRun) -> ShownRun:
    marks = tuple(
        (str(a["path"]), int(a["start_line"]), str(a["annotation_level"]), str(a["title"]), str(a["message"]))
        for a in run.annotations
    )
    return ShownRun(run.id, run.name, run.external_id, run.conclusion, run.title, run.summary, marks)
