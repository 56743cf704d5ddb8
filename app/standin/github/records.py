"""The things a GitHub holds, as plain mutable records; `state.State` owns them, nothing here does I/O.

Deliberately absent: JSON (see `shapes_*`), rules (see `limits`, `merging`), git content (real, in bare repositories).
The records are mutable because this is a stand-in for a server: its state is what the tests look at afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
ZERO_SHA = "0" * 40


@dataclass(slots=True, eq=False)
class Account:
    """A user, an organization or an App's bot. `token` is a user's personal access token."""

    id: int
    login: str
    type: Literal["User", "Organization", "Bot"]
    created_at: datetime
    token: str | None = None
    admin: bool = False
    app_id: int | None = None


@dataclass(slots=True, eq=False)
class AppRecord:
    """A registered GitHub App. `events` are the subscribed ones; installation events reach every App anyway."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    client_id: str
    private_key_pem: str
    public_key_pem: str
    webhook_secret: str
    webhook_url: str | None
    hook_id: int
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: datetime


@dataclass(slots=True, eq=False)
class InstallationRecord:
    """An App on an account. `permissions` are what the owner accepted, which may lag behind the App's."""

    id: int
    app: AppRecord
    account: Account
    permissions: dict[str, str]
    events: tuple[str, ...]
    repository_selection: Literal["all", "selected"]
    repo_ids: set[int]
    created_at: datetime
    updated_at: datetime
    suspended_at: datetime | None = None
    suspended_by: Account | None = None


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An installation access token; `repo_ids` None means all repositories of the installation."""

    value: str
    installation_id: int
    permissions: dict[str, str]
    repo_ids: frozenset[int] | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Required:
    """One required status check. `app_id` None: whoever; else only that App counts."""

    context: str
    app_id: int | None = None


@dataclass(frozen=True, slots=True)
class Protection:
    checks: tuple[Required, ...]
    strict: bool
    enforce_admins: bool
    has_checks: bool = True


@dataclass(slots=True, eq=False)
class RepoRecord:
    """A repository; its objects live in the bare git directory `path`."""

    id: int
    owner: Account
    name: str
    path: Path
    private: bool
    default_branch: str
    created_at: datetime
    updated_at: datetime
    pushed_at: datetime
    fork_of: int | None = None
    archived: bool = False
    last_number: int = 0
    protections: dict[str, Protection] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def visibility(self) -> str:
        return "private" if self.private else "public"


@dataclass(slots=True, eq=False)
class PullRecord:
    """A pull request. `head_repo_id` None: the fork was deleted. `stale_head` is what lagging reads still answer."""

    id: int
    number: int
    repo: RepoRecord
    user: Account
    title: str
    body: str | None
    head_repo_id: int | None
    head_owner: Account
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    created_at: datetime
    updated_at: datetime
    draft: bool = False
    state: Literal["open", "closed"] = "open"
    merged_at: datetime | None = None
    closed_at: datetime | None = None
    merged_by: Account | None = None
    merge_commit_sha: str | None = None
    mergeable: bool | None = None
    merge_inputs: tuple[str, str] | None = None
    stale_head: str | None = None
    stale_reads: int = 0


@dataclass(slots=True, eq=False)
class CheckSuite:
    """A check suite: all runs of one App on one head. `head_branch` None for a fork's head."""

    id: int
    app: AppRecord
    repo: RepoRecord
    head_sha: str
    head_branch: str | None
    created_at: datetime
    updated_at: datetime
    before: str | None = None
    reset: bool = False


@dataclass(slots=True, eq=False)
class CheckRun:
    id: int
    suite: CheckSuite
    name: str
    status: str
    conclusion: str | None
    started_at: datetime | None
    completed_at: datetime | None
    details_url: str | None
    external_id: str
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)

    @property
    def app(self) -> AppRecord:
        return self.suite.app

    @property
    def repo(self) -> RepoRecord:
        return self.suite.repo

    @property
    def head_sha(self) -> str:
        return self.suite.head_sha


@dataclass(slots=True, eq=False)
class Comment:
    id: int
    repo: RepoRecord
    number: int
    user: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: AppRecord | None = None


@dataclass(slots=True, eq=False)
class ReviewComment:
    """A remark on lines `start` (None: one line) to `line` of the head's side of the diff."""

    id: int
    repo: RepoRecord
    number: int
    user: Account
    body: str
    path: str
    line: int
    start: int | None
    created_at: datetime
    app: AppRecord | None = None


@dataclass(slots=True, eq=False)
class Status:
    """A commit status. `app` None: written by a user."""

    id: int
    repo: RepoRecord
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: datetime
    app: AppRecord | None = None


@dataclass(slots=True, eq=False)
class Delivery:
    """One attempt to deliver a webhook. `status_code` 0 and `delivered_at` None: not attempted yet."""

    id: int
    guid: str
    app: AppRecord
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None
    url: str
    body: bytes
    redelivery: bool = False
    created_at: datetime | None = None
    delivered_at: datetime | None = None
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0
    request_headers: dict[str, str] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""

    @property
    def ok(self) -> bool:
        return 200 <= self.status_code < 300
