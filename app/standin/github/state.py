"""All of the sandbox's state and the lookups over it; every route and every control action works on one `State`.

State lives in memory, per process; git content is real. `lock` is held by whoever changes something, so that a control
call from a test's thread and a request never interleave. Deliberately absent: rules and JSON.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.standin.github.errors import GitHubError
from app.standin.github.git_objects import GitRepo, prepare_home
from app.standin.github.records import (
    AccessToken,
    Account,
    AppRecord,
    CheckRun,
    CheckSuite,
    Comment,
    Delivery,
    InstallationRecord,
    PullRecord,
    RepoRecord,
    ReviewComment,
    Status,
)


@dataclass(slots=True)
class ApiLimits:
    """GitHub's numbers; tests lower them. Sources: api.github.com's OpenAPI description and docs, "Repository limits"."""

    tree_entries: int = 100_000
    tree_bytes: int = 7_000_000
    compare_files: int = 300
    compare_commits: int = 250
    pull_files: int = 3_000
    patch_bytes: int = 500_000
    contents_bytes: int = 1_000_000
    directory_entries: int = 1_000
    token_seconds: int = 3_600
    delivery_timeout: float = 10.0
    delivery_bytes: int = 25 * 1024 * 1024
    rate_per_hour: int = 5_000


class Clock:
    """The sandbox's time: the real one, plus what a test skipped."""

    def __init__(self) -> None:
        self._skipped = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._skipped

    def skip(self, seconds: float) -> None:
        """Move the sandbox's time forward, e.g. past the expiry of a token."""
        self._skipped += timedelta(seconds=seconds)


@dataclass(slots=True)
class State:
    directory: Path
    api_url: str = "http://api.github.invalid"
    web_url: str = "http://github.invalid"
    pages: bool = False
    limits: ApiLimits = field(default_factory=ApiLimits)
    clock: Clock = field(default_factory=Clock)
    lock: threading.RLock = field(default_factory=threading.RLock)
    accounts: dict[str, Account] = field(default_factory=dict)
    apps: dict[int, AppRecord] = field(default_factory=dict)
    installations: dict[int, InstallationRecord] = field(default_factory=dict)
    tokens: dict[str, AccessToken] = field(default_factory=dict)
    repos: dict[int, RepoRecord] = field(default_factory=dict)
    former_names: dict[str, int] = field(default_factory=dict)
    pulls: dict[tuple[int, int], PullRecord] = field(default_factory=dict)
    suites: dict[int, CheckSuite] = field(default_factory=dict)
    runs: dict[int, CheckRun] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    review_comments: dict[int, ReviewComment] = field(default_factory=dict)
    statuses: dict[int, Status] = field(default_factory=dict)
    deliveries: dict[int, Delivery] = field(default_factory=dict)
    manifest_codes: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    archive_tokens: dict[str, tuple[int, str, datetime]] = field(default_factory=dict)
    _ids: dict[str, Iterator[int]] = field(default_factory=dict)
    _gits: dict[Path, GitRepo] = field(default_factory=dict)

    def __post_init__(self) -> None:
        prepare_home(self.directory)

    def next_id(self, kind: str) -> int:
        """Numeric ids, unique per kind and visibly different between kinds, so that mixing two up cannot go unseen."""
        starts = {"account": 1_000, "app": 200_000, "installation": 3_000_000, "repo": 40_000_000, "pull": 500_000_000}
        starts |= {"suite": 6_000_000_000, "run": 7_000_000_000, "comment": 8_000_000_000, "status": 9_000_000_000}
        starts |= {"review_comment": 10_000_000_000, "delivery": 12_000_000_000, "hook": 110_000_000}
        with self.lock:
            return next(self._ids.setdefault(kind, itertools.count(starts[kind] + 1)))

    def now(self) -> datetime:
        return self.clock.now().replace(microsecond=0)

    def account(self, login: str) -> Account:
        found = self.accounts.get(login.lower())
        if found is None:
            raise GitHubError(404, "Not Found")
        return found

    def find_repo(self, owner: str, name: str) -> RepoRecord | None:
        """By current name; case does not matter on GitHub."""
        wanted = f"{owner}/{name}".lower()
        return next((r for r in list(self.repos.values()) if r.full_name.lower() == wanted), None)

    def git(self, repo: RepoRecord) -> GitRepo:
        """The same value each time: it keeps what can never change."""
        return self._gits.setdefault(repo.path, GitRepo(repo.path, self.directory))

    def pull(self, repo: RepoRecord, number: int) -> PullRecord:
        found = self.pulls.get((repo.id, number))
        if found is None:
            raise GitHubError(404, "Not Found")
        return found

    def pulls_of(self, repo: RepoRecord) -> list[PullRecord]:
        return [pull for pull in list(self.pulls.values()) if pull.repo is repo]

    def installations_on(self, repo: RepoRecord) -> list[InstallationRecord]:
        """Active installations that see this repository."""
        return [
            i
            for i in list(self.installations.values())
            if i.suspended_at is None and i.account is repo.owner and self.sees(i, repo)
        ]

    def sees(self, installation: InstallationRecord, repo: RepoRecord) -> bool:
        if installation.account is not repo.owner:
            return False
        return installation.repository_selection == "all" or repo.id in installation.repo_ids

    def repos_of(self, installation: InstallationRecord) -> list[RepoRecord]:
        return [repo for repo in list(self.repos.values()) if self.sees(installation, repo)]

    def network(self, repo: RepoRecord) -> list[RepoRecord]:
        """The repository, its parent and its forks: repositories that share their objects on GitHub."""
        root = repo.fork_of or repo.id
        return [r for r in list(self.repos.values()) if root in (r.id, r.fork_of)]

    def runs_on(self, repo: RepoRecord, sha: str) -> list[CheckRun]:
        """Newest first, as GitHub lists them."""
        found = [run for run in list(self.runs.values()) if run.repo is repo and run.head_sha == sha]
        return sorted(found, key=lambda run: run.id, reverse=True)

    def latest_runs_on(self, repo: RepoRecord, sha: str) -> list[CheckRun]:
        """`filter=latest`: the newest run of each name in each suite."""
        seen: set[tuple[int, str]] = set()
        latest = []
        for run in self.runs_on(repo, sha):
            key = (run.suite.id, run.name)
            if key not in seen:
                seen.add(key)
                latest.append(run)
        return latest

    def comments_on(self, repo: RepoRecord, number: int) -> list[Comment]:
        return [c for c in list(self.comments.values()) if c.repo is repo and c.number == number]

    def statuses_on(self, repo: RepoRecord, sha: str) -> list[Status]:
        """Newest first."""
        found = [s for s in list(self.statuses.values()) if s.repo is repo and s.sha == sha]
        return sorted(found, key=lambda status: status.id, reverse=True)
