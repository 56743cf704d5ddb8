"""Payload -> our event: the few fields we read, as frozen dataclasses that pydantic fills and everything else ignores.

GitHub adds, drops and nulls fields without notice, and its published schema rejects real payloads; so nothing is required
here but what a job cannot do without. A payload that lacks such a field raises `Unfit`; the route answers 400 and the
failure stands in GitHub's delivery log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError


class MalformedDelivery(Exception):  # noqa: N818 - says what the payload is, like the words of the house
    """A delivery we act on lacks a field we need; the message names it."""


@dataclass(frozen=True, slots=True)
class Installation:
    id: int


@dataclass(frozen=True, slots=True)
class Account:
    login: str = ""


@dataclass(frozen=True, slots=True)
class InstallationDetail:
    id: int
    account: Account | None = None
    repository_selection: str = "selected"


@dataclass(frozen=True, slots=True)
class Repository:
    id: int
    full_name: str
    default_branch: str = ""


@dataclass(frozen=True, slots=True)
class ShortRepository:
    """As the installation events list them."""

    id: int
    full_name: str = ""


@dataclass(frozen=True, slots=True)
class HeadRepository:
    id: int


@dataclass(frozen=True, slots=True)
class Head:
    sha: str
    repo: HeadRepository | None = None  # null when the fork was deleted, whatever the schema says


@dataclass(frozen=True, slots=True)
class Base:
    ref: str


@dataclass(frozen=True, slots=True)
class PullRequest:
    number: int
    head: Head
    base: Base
    updated_at: str
    draft: bool | None = False
    merged: bool | None = False


@dataclass(frozen=True, slots=True)
class Changes:
    base: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    installation: Installation
    repository: Repository
    pull_request: PullRequest
    changes: Changes | None = None


@dataclass(frozen=True, slots=True)
class PullRef:
    number: int


@dataclass(frozen=True, slots=True)
class App:
    id: int


@dataclass(frozen=True, slots=True)
class SuiteRef:
    head_branch: str | None = None  # null for forks


@dataclass(frozen=True, slots=True)
class CheckRun:
    id: int
    head_sha: str
    app: App
    external_id: str | None = ""
    pull_requests: tuple[PullRef, ...] = ()
    check_suite: SuiteRef | None = None


@dataclass(frozen=True, slots=True)
class RequestedAction:
    identifier: str = ""


@dataclass(frozen=True, slots=True)
class CheckRunEvent:
    installation: Installation
    repository: Repository
    check_run: CheckRun
    sender: Account | None = None
    requested_action: RequestedAction | None = None


@dataclass(frozen=True, slots=True)
class CheckSuite:
    head_sha: str
    app: App
    pull_requests: tuple[PullRef, ...] = ()
    head_branch: str | None = None


@dataclass(frozen=True, slots=True)
class CheckSuiteEvent:
    installation: Installation
    repository: Repository
    check_suite: CheckSuite
    sender: Account | None = None


@dataclass(frozen=True, slots=True)
class MergeGroup:
    head_sha: str
    base_sha: str
    base_ref: str


@dataclass(frozen=True, slots=True)
class MergeGroupEvent:
    installation: Installation
    repository: Repository
    merge_group: MergeGroup


@dataclass(frozen=True, slots=True)
class PushEvent:
    installation: Installation
    repository: Repository
    ref: str
    before: str
    after: str
    deleted: bool | None = False


@dataclass(frozen=True, slots=True)
class InstallationEvent:
    installation: InstallationDetail
    repositories: tuple[ShortRepository, ...] | None = ()


@dataclass(frozen=True, slots=True)
class InstallationRepositoriesEvent:
    installation: InstallationDetail
    repositories_added: tuple[ShortRepository, ...] | None = ()
    repositories_removed: tuple[ShortRepository, ...] | None = ()


Event: TypeAlias = (
    PullRequestEvent
    | CheckRunEvent
    | CheckSuiteEvent
    | MergeGroupEvent
    | PushEvent
    | InstallationEvent
    | InstallationRepositoriesEvent
)

_READERS: dict[str, TypeAdapter[Any]] = {
    "pull_request": TypeAdapter(PullRequestEvent),
    "check_run": TypeAdapter(CheckRunEvent),
    "check_suite": TypeAdapter(CheckSuiteEvent),
    "merge_group": TypeAdapter(MergeGroupEvent),
    "push": TypeAdapter(PushEvent),
    "installation": TypeAdapter(InstallationEvent),
    "installation_repositories": TypeAdapter(InstallationRepositoriesEvent),
}


def parse_event(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that `X-GitHub-Event` names. Raises Unfit for a missing or misshapen field; KeyError for a foreign name."""
    try:
        event: Event = _READERS[name].validate_python(dict(payload))
    except ValidationError as error:
        # Only where and what kind: the value itself is a stranger's text and belongs in no log.
        first = error.errors(include_input=False, include_url=False)[0]
        raise MalformedDelivery(f"{name}: {'.'.join(str(part) for part in first['loc'])}: {first['type']}") from None
    return event
