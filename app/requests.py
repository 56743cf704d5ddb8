"""What a delivery asks for, as values that the queue stores as JSON: webhook -> request -> queue -> review.

Numeric ids are the keys; names travel along for texts and are never compared. Nothing of a payload is kept beyond these
fields: whatever may have changed since (head, state, visibility) is read from the API when the job runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias

from app.ports import Pull
from app.words import Repo

#: why a review is asked for: the pull_request action, or what else made it necessary
Reason: TypeAlias = Literal[
    "opened", "reopened", "synchronize", "ready_for_review", "base_changed", "rerequested", "push", "swept", "replay"
]


#: What a job's steps hand on and the queue stores: plain JSON values.
Json = Any


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Review this pull request. `updated_at` is the pull's own ISO time (UTC, "Z"): it orders requests of one pull.

    `head_repo_id` is None when the fork is gone; `head_fork` is True when the head is not in the base repository, or when
    that cannot be told any more.
    """

    kind: ClassVar[Literal["review"]] = "review"

    delivery: str
    installation_id: int
    repo_id: int
    repo_full_name: str
    pull: int
    head_sha: str
    base_ref: str
    updated_at: str
    reason: Reason
    head_repo_id: int | None = None
    head_fork: bool = True
    draft: bool = False

    @property
    def key(self) -> tuple[int, int]:
        """What supersedes what: (repository id, pull number)."""
        return (self.repo_id, self.pull)

    @property
    def partition(self) -> str:
        """One installation's jobs share a concurrency limit."""
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class CloseRequest:
    """The pull request was closed (`merged` or not): cancel what is queued, settle its incidents."""

    kind: ClassVar[Literal["close"]] = "close"

    delivery: str
    installation_id: int
    repo_id: int
    repo_full_name: str
    pull: int
    head_sha: str
    base_ref: str
    updated_at: str
    merged: bool = False

    @property
    def key(self) -> tuple[int, int]:
        return (self.repo_id, self.pull)

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class RerequestRequest:
    """Somebody pressed Re-run, or a button of ours (`action` is then its identifier, else "").

    `pulls` is empty for forks: then the open pulls with this head are meant. `check_run_id` is None for a whole suite.
    `head_branch` tells a merge group, whose branch GitHub makes.
    """

    kind: ClassVar[Literal["rerequest"]] = "rerequest"

    delivery: str
    installation_id: int
    repo_id: int
    repo_full_name: str
    head_sha: str
    app_id: int
    check_run_id: int | None = None
    external_id: str = ""
    action: str = ""
    sender: str = ""
    pulls: tuple[int, ...] = ()
    head_branch: str = ""

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class PushRequest:
    """The default branch moved from `before` to `after`."""

    kind: ClassVar[Literal["push"]] = "push"

    delivery: str
    installation_id: int
    repo_id: int
    repo_full_name: str
    branch: str
    before: str
    after: str

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class MergeGroupRequest:
    """A merge queue asks for a verdict on the combined change base...head, or (`destroyed`) no longer wants one; `again`:
    somebody pressed Re-run."""

    kind: ClassVar[Literal["merge_group"]] = "merge_group"

    delivery: str
    installation_id: int
    repo_id: int
    repo_full_name: str
    head_sha: str
    base_sha: str
    base_ref: str
    destroyed: bool = False
    again: bool = False

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class InstallationRequest:
    """Tether was installed, removed, suspended, or given or denied repositories.

    `change` "deleted" and `removed` mean that stored data goes. Repositories are (id, full name); `all_repositories` says
    that the selection is not listed here and has to be asked for.
    """

    kind: ClassVar[Literal["installation"]] = "installation"

    delivery: str
    installation_id: int
    change: Literal["created", "deleted", "suspended", "unsuspended", "permissions", "repositories"]
    account: str = ""
    added: tuple[tuple[int, str], ...] = ()
    removed: tuple[tuple[int, str], ...] = ()
    all_repositories: bool = False

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """Repair the graph for all repositories of an installation: when it came, when a default branch moved, or by the clock."""

    kind: ClassVar[Literal["repair"]] = "repair"

    delivery: str
    installation_id: int
    reason: Literal["install", "push", "schedule"]

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """Look for what was lost. `installation_id` 0: failed deliveries, and then a sweep of each installation."""

    kind: ClassVar[Literal["sweep"]] = "sweep"

    delivery: str
    installation_id: int = 0

    @property
    def partition(self) -> str:
        return str(self.installation_id)

    def to_json(self) -> dict[str, Any]:
        return to_json(self)


def make_review(installation_id: int, repo: Repo, pull: Pull) -> ReviewRequest:
    """A review of the pull request as GitHub has it now; its delivery names the head, so that it is asked for once."""
    return ReviewRequest(
        delivery=f"head:{repo.id}:{pull.number}:{pull.head_sha}:{pull.updated_at}",
        installation_id=installation_id,
        repo_id=repo.id,
        repo_full_name=repo.full_name,
        pull=pull.number,
        head_sha=pull.head_sha,
        base_ref=pull.base_ref,
        updated_at=pull.updated_at,
        reason="swept",
        head_repo_id=pull.head_repo_id,
        head_fork=pull.head_repo_id != repo.id,
        draft=pull.draft,
    )


JobRequest: TypeAlias = (
    ReviewRequest
    | CloseRequest
    | RerequestRequest
    | PushRequest
    | MergeGroupRequest
    | InstallationRequest
    | RepairRequest
    | SweepRequest
)


class Superseded(Exception):  # noqa: N818 - not an error: a newer event makes this work pointless
    """A newer head or a closed pull request makes this job pointless; it ends without another effect."""


@dataclass(frozen=True, slots=True)
class Job:
    """`sequence` orders the events of one pull request (0: older than what was known when it came, or no pull request).

    `owner` names the job for ever, also after it was resumed, deferred or replayed: claims and external ids carry it.
    """

    request: JobRequest
    sequence: int = 0
    attempt: int = 0

    @property
    def owner(self) -> str:
        return self.owner_of(self.request.delivery)

    @staticmethod
    def owner_of(delivery: str) -> str:
        return f"gh:{delivery}"

    @property
    def reviewed(self) -> ReviewRequest | MergeGroupRequest:
        """The request, known to be one for a review; raises TypeError otherwise."""
        if isinstance(self.request, ReviewRequest | MergeGroupRequest):
            return self.request
        raise TypeError(f"a {self.request.kind} request is not reviewed")


def is_review(request: JobRequest) -> bool:
    match request:
        case ReviewRequest():
            return True
        case MergeGroupRequest(destroyed=destroyed):
            return not destroyed
        case _:
            return False


def to_json(request: JobRequest) -> dict[str, Any]:
    """The request as plain JSON values, with its `kind`."""
    return {"kind": request.kind, **asdict(request)}


def from_json(data: Mapping[str, Any]) -> JobRequest:
    """The request again. Keys it does not know are left out, so that a job outlives an upgrade; raises KeyError, TypeError
    or ValueError when it is not one of ours."""
    match data["kind"]:
        case "rerequest":
            return RerequestRequest(**{**_fields(RerequestRequest, data), "pulls": tuple(data.get("pulls", ()))})
        case "installation":
            pairs = {name: tuple((int(i), str(n)) for i, n in data.get(name, ())) for name in ("added", "removed")}
            return InstallationRequest(**{**_fields(InstallationRequest, data), **pairs})
        case kind if kind in _PLAIN:
            return _PLAIN[kind](**_fields(_PLAIN[kind], data))
        case unknown:
            raise ValueError(f"no job request has the kind {unknown!r}")


_Plain: TypeAlias = ReviewRequest | CloseRequest | PushRequest | MergeGroupRequest | RepairRequest | SweepRequest
#: requests whose fields are JSON's own
_PLAIN: Mapping[str, type[_Plain]] = {
    kind.kind: kind
    for kind in (ReviewRequest, CloseRequest, PushRequest, MergeGroupRequest, RepairRequest, SweepRequest)
}


def _fields(of: type, data: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: data[field.name] for field in fields(of) if field.name in data}
