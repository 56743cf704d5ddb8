"""What a delivery asks for, as values that the queue stores as JSON: webhook -> request -> queue -> review.

Numeric ids are the keys; names travel along for texts and are never compared. Nothing of a payload is kept beyond these
fields: whatever may have changed since (head, state, visibility) is read from the API when the job runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import Discriminator

from app.codec import Json, decode
from app.ports import Pull
from app.words import Repo

#: why a review is asked for: the pull_request action, or what else made it necessary
Reason: TypeAlias = Literal[
    "opened", "reopened", "synchronize", "ready_for_review", "base_changed", "rerequested", "push", "swept"
]


@dataclass(frozen=True, slots=True)
class _Request:
    """`kind` names the class in stored rows; a new one needs a name of its own for ever."""

    delivery: str
    installation_id: int

    @property
    def partition(self) -> str:
        """One installation's jobs share a concurrency limit."""
        return str(self.installation_id)


@dataclass(frozen=True, slots=True)
class _RepoRequest(_Request):
    repo_id: int
    repo_full_name: str


@dataclass(frozen=True, slots=True)
class ReviewRequest(_RepoRequest):
    """Review this pull request. `updated_at` is the pull's own ISO time (UTC, "Z"): it orders requests of one pull."""

    pull: int
    head_sha: str
    base_ref: str
    updated_at: str
    reason: Reason
    kind: Literal["review"] = field(default="review", kw_only=True)


@dataclass(frozen=True, slots=True)
class CloseRequest(_RepoRequest):
    """The pull request was closed (`merged` or not): cancel what is queued, settle its incidents."""

    pull: int
    head_sha: str
    base_ref: str
    updated_at: str
    merged: bool = False
    kind: Literal["close"] = field(default="close", kw_only=True)


@dataclass(frozen=True, slots=True)
class RerequestRequest(_RepoRequest):
    """Somebody pressed Re-run, or a button of ours (`action` is then its identifier, else "").

    `pulls` is empty for forks: then the open pulls with this head are meant. `head_branch` names a merge
    group, whose branch GitHub makes.
    """

    head_sha: str
    action: str = ""
    sender: str = ""
    pulls: tuple[int, ...] = ()
    head_branch: str = ""
    kind: Literal["rerequest"] = field(default="rerequest", kw_only=True)


@dataclass(frozen=True, slots=True)
class PushRequest(_RepoRequest):
    """The default branch moved from the commit `before`; where it is now is asked when the job runs."""

    before: str
    kind: Literal["push"] = field(default="push", kw_only=True)


@dataclass(frozen=True, slots=True)
class MergeGroupRequest(_RepoRequest):
    """A merge queue asks for a verdict on the combined change base...head, or (`destroyed`) no longer wants one; `again`:
    somebody pressed Re-run."""

    head_sha: str
    base_sha: str
    base_ref: str
    destroyed: bool = False
    again: bool = False
    kind: Literal["merge_group"] = field(default="merge_group", kw_only=True)


@dataclass(frozen=True, slots=True)
class InstallationRequest(_Request):
    """Tether was installed, removed, suspended, or given or denied repositories, which are (id, full name).

    `change` "deleted" and `removed` mean that stored data goes.
    """

    change: Literal["created", "deleted", "suspended", "unsuspended", "permissions", "repositories"]
    added: tuple[tuple[int, str], ...] = ()
    removed: tuple[tuple[int, str], ...] = ()
    kind: Literal["installation"] = field(default="installation", kw_only=True)


@dataclass(frozen=True, slots=True)
class RepairRequest(_Request):
    """Repair the graph for all repositories of an installation: when it came, when a default branch moved, or by the clock."""

    reason: Literal["install", "push", "schedule"]
    kind: Literal["repair"] = field(default="repair", kw_only=True)


@dataclass(frozen=True, slots=True)
class SweepRequest(_Request):
    """Look for what was lost. `installation_id` 0: failed deliveries, and then a sweep of each installation."""

    installation_id: int = 0
    kind: Literal["sweep"] = field(default="sweep", kw_only=True)


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
    )


def make_close(installation_id: int, repo: Repo, pull: Pull) -> CloseRequest:
    """The end of a pull request as GitHub has it now, for an event that was lost; asked for once."""
    return CloseRequest(
        delivery=f"closed:{repo.id}:{pull.number}:{pull.updated_at}",
        installation_id=installation_id,
        repo_id=repo.id,
        repo_full_name=repo.full_name,
        pull=pull.number,
        head_sha=pull.head_sha,
        base_ref=pull.base_ref,
        updated_at=pull.updated_at,
        merged=pull.merged,
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


_ANY_REQUEST: Any = Annotated[JobRequest, Discriminator("kind")]


def decode_request(data: Json) -> JobRequest:
    """The stored request again; raises `Permanent` when it is none of ours."""
    return cast("JobRequest", decode(_ANY_REQUEST, data))


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
