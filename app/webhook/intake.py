"""One pure table: (event, action) -> what to do with it. Everything that is not in the table is ignored, by design.

Not here, on purpose: check_suite `requested` (it races with pull_request for the same push, and one trigger is enough),
`converted_to_draft` (drafts are reviewed too), comments (they need a permission Tether does not ask for).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from app.requests import (
    CloseRequest,
    InstallationRequest,
    JobRequest,
    MergeGroupRequest,
    PushRequest,
    Reason,
    RerequestRequest,
    ReviewRequest,
)
from app.webhook.payload import Payload

Kind: TypeAlias = Literal["review", "close", "rerequest", "push", "merge_group", "installation", "ping", "ignore"]

TABLE: Final[Mapping[tuple[str, str], Kind]] = {
    ("pull_request", "opened"): "review",
    ("pull_request", "reopened"): "review",
    ("pull_request", "synchronize"): "review",
    ("pull_request", "ready_for_review"): "review",
    ("pull_request", "edited"): "review",  # only when the base changed: see _review
    ("pull_request", "closed"): "close",
    ("check_run", "rerequested"): "rerequest",
    ("check_run", "requested_action"): "rerequest",
    ("check_suite", "rerequested"): "rerequest",
    ("merge_group", "checks_requested"): "merge_group",
    ("merge_group", "destroyed"): "merge_group",
    ("push", ""): "push",  # only of the default branch: see _push
    ("installation", "created"): "installation",
    ("installation", "deleted"): "installation",
    ("installation", "suspend"): "installation",
    ("installation", "unsuspend"): "installation",
    ("installation", "new_permissions_accepted"): "installation",
    ("installation_repositories", "added"): "installation",
    ("installation_repositories", "removed"): "installation",
    ("ping", ""): "ping",
}

_REASONS: Final[Mapping[str, Reason]] = {
    "opened": "opened",
    "reopened": "reopened",
    "synchronize": "synchronize",
    "ready_for_review": "ready_for_review",
    "edited": "base_changed",
}
_CHANGES: Final[Mapping[str, Literal["created", "deleted", "suspended", "unsuspended", "permissions"]]] = {
    "created": "created",
    "deleted": "deleted",
    "suspend": "suspended",
    "unsuspend": "unsuspended",
    "new_permissions_accepted": "permissions",
}


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to do, and why; the reason goes into the answer, so that GitHub's delivery log explains itself."""

    reason: str


# --- field of a request -> where it stands in the payload -----------------------------------------------------------

_REPO: Final = {
    "installation_id": "installation.id",
    "repo_id": "repository.id",
    "repo_full_name": "repository.full_name",
}
_PULL: Final = {
    **_REPO,
    "pull": "pull_request.number",
    "head_sha": "pull_request.head.sha",
    "base_ref": "pull_request.base.ref",
    "updated_at": "pull_request.updated_at",
}
_SENDER: Final = {"sender": "sender.login"}
_CHECK_RUN: Final = {
    **_REPO,
    **_SENDER,
    "head_sha": "check_run.head_sha",
    "action": "requested_action.identifier",
    "head_branch": "check_run.check_suite.head_branch",  # null for forks
}
_CHECK_SUITE: Final = {
    **_REPO,
    **_SENDER,
    "head_sha": "check_suite.head_sha",
    "head_branch": "check_suite.head_branch",
}
_MERGE_GROUP: Final = {**_REPO, "head_sha": "merge_group.head_sha", "base_sha": "merge_group.base_sha"}
_INSTALLATION: Final = {"installation_id": "installation.id"}


def find_kind(name: str, action: str) -> Kind:
    return TABLE.get((name, action), "ignore")


def find_request(name: str, delivery: str, payload: Mapping[str, Any]) -> JobRequest | Ignored:
    """What this delivery asks for. Raises `MalformedDelivery` when it is one we act on and a field we need is missing."""
    action = payload.get("action")
    action = action if isinstance(action, str) else ""
    kind = find_kind(name, action)
    if kind == "ping":
        return Ignored("ping")
    if kind == "ignore":
        return Ignored("Tether does not act on this event or action")
    if payload.get("installation") is None:
        return Ignored("no installation in the payload: it comes from a webhook that does not belong to the App")
    return _READERS[name](Payload(name, delivery, payload), action)


def _pull_request(payload: Payload, action: str) -> JobRequest | Ignored:
    if action == "closed":
        return payload.build(CloseRequest, {**_PULL, "merged": "pull_request.merged"})
    if action == "edited" and not payload.has("changes.base"):
        return Ignored("an edit that leaves the base branch alone changes nothing")
    return payload.build(ReviewRequest, _PULL, reason=_REASONS[action])


def _check_run(payload: Payload, _action: str) -> RerequestRequest:
    return payload.build(RerequestRequest, _CHECK_RUN, pulls=_pulls(payload, "check_run.pull_requests"))


def _check_suite(payload: Payload, _action: str) -> RerequestRequest:
    return payload.build(RerequestRequest, _CHECK_SUITE, pulls=_pulls(payload, "check_suite.pull_requests"))


def _pulls(payload: Payload, path: str) -> list[object]:
    return [number for (number,) in payload.get_each(path, ("number",))]


def _merge_group(payload: Payload, action: str) -> MergeGroupRequest:
    paths = {**_MERGE_GROUP, "base_ref": "merge_group.base_ref"}
    base_ref = payload.get("merge_group.base_ref")
    given: dict[str, object] = {"destroyed": action == "destroyed"}
    if isinstance(base_ref, str):
        del paths["base_ref"]
        given["base_ref"] = base_ref.removeprefix("refs/heads/")
    return payload.build(MergeGroupRequest, paths, **given)


def _push(payload: Payload, _action: str) -> PushRequest | Ignored:
    ref = str(payload.get("ref") or "")
    branch = ref.removeprefix("refs/heads/")
    if branch == ref or branch != payload.get("repository.default_branch"):
        return Ignored("a push beside the default branch; its pull request reports itself")
    if payload.get("deleted"):
        return Ignored("the branch was deleted")
    return payload.build(PushRequest, {**_REPO, "before": "before"})


def _installation(payload: Payload, action: str) -> InstallationRequest:
    listed = _repositories(payload, "repositories")
    side = "removed" if action == "deleted" else "added"
    return payload.build(InstallationRequest, _INSTALLATION, change=_CHANGES[action], **{side: listed})


def _installation_repositories(payload: Payload, _action: str) -> InstallationRequest:
    return payload.build(
        InstallationRequest,
        _INSTALLATION,
        change="repositories",
        added=_repositories(payload, "repositories_added"),
        removed=_repositories(payload, "repositories_removed"),
    )


def _repositories(payload: Payload, path: str) -> list[tuple[object, object]]:
    return [(repo_id, name or "") for repo_id, name in payload.get_each(path, ("id", "full_name"))]


_READERS: Final[Mapping[str, Callable[[Payload, str], JobRequest | Ignored]]] = {
    "pull_request": _pull_request,
    "check_run": _check_run,
    "check_suite": _check_suite,
    "merge_group": _merge_group,
    "push": _push,
    "installation": _installation,
    "installation_repositories": _installation_repositories,
}
