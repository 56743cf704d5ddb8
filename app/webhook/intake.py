"""One pure table: (event, action) -> what to do with it. Everything that is not in the table is ignored, by design.

Not here, on purpose: check_suite `requested` (it races with pull_request for the same push, and one trigger is enough),
`converted_to_draft` (drafts are reviewed too), comments (they need a permission Tether does not ask for).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, assert_never

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
from app.webhook.events import (
    CheckRunEvent,
    CheckSuiteEvent,
    Event,
    InstallationEvent,
    InstallationRepositoriesEvent,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    ShortRepository,
    parse_event,
)

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


def find_kind(name: str, action: str) -> Kind:
    return TABLE.get((name, action), "ignore")


def find_request(name: str, delivery: str, payload: Mapping[str, Any]) -> JobRequest | Ignored:
    """What this delivery asks for. Raises `Unfit` when it is one we act on and a field we need is missing."""
    action = payload.get("action")
    action = action if isinstance(action, str) else ""
    kind = find_kind(name, action)
    if kind == "ping":
        return Ignored("ping")
    if kind == "ignore":
        return Ignored("Tether does not act on this event or action")
    if payload.get("installation") is None:
        return Ignored("no installation in the payload: it comes from a webhook that does not belong to the App")
    return _ask(parse_event(name, payload), delivery, action)


def _ask(event: Event, delivery: str, action: str) -> JobRequest | Ignored:
    asked: JobRequest | Ignored
    match event:
        case PullRequestEvent():
            asked = _close(event, delivery) if action == "closed" else _review(event, delivery, action)
        case CheckRunEvent():
            asked = _rerequest(event, delivery)
        case CheckSuiteEvent():
            asked = _rerequest_suite(event, delivery)
        case MergeGroupEvent():
            asked = _merge_group(event, delivery, destroyed=action == "destroyed")
        case PushEvent():
            asked = _push(event, delivery)
        case InstallationEvent():
            asked = _installation(event, delivery, action)
        case InstallationRepositoriesEvent():
            asked = _repositories(event, delivery)
        case _:
            assert_never(event)
    return asked


def _review(event: PullRequestEvent, delivery: str, action: str) -> ReviewRequest | Ignored:
    if action == "edited" and (event.changes is None or event.changes.base is None):
        return Ignored("an edit that leaves the base branch alone changes nothing")
    pull = event.pull_request
    head_repo_id = pull.head.repo.id if pull.head.repo is not None else None
    return ReviewRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        repo_id=event.repository.id,
        repo_full_name=event.repository.full_name,
        pull=pull.number,
        head_sha=pull.head.sha,
        base_ref=pull.base.ref,
        updated_at=pull.updated_at,
        reason=_REASONS[action],
        head_repo_id=head_repo_id,
        # A head whose repository is gone was a fork: the base repository cannot be gone, it sent the event.
        head_fork=head_repo_id != event.repository.id,
        draft=bool(pull.draft),
    )


def _close(event: PullRequestEvent, delivery: str) -> CloseRequest:
    pull = event.pull_request
    return CloseRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        repo_id=event.repository.id,
        repo_full_name=event.repository.full_name,
        pull=pull.number,
        head_sha=pull.head.sha,
        base_ref=pull.base.ref,
        updated_at=pull.updated_at,
        merged=bool(pull.merged),
    )


def _rerequest(event: CheckRunEvent, delivery: str) -> RerequestRequest:
    run = event.check_run
    return RerequestRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        repo_id=event.repository.id,
        repo_full_name=event.repository.full_name,
        head_sha=run.head_sha,
        app_id=run.app.id,
        check_run_id=run.id,
        external_id=run.external_id or "",
        action=event.requested_action.identifier if event.requested_action is not None else "",
        sender=event.sender.login if event.sender is not None else "",
        pulls=tuple(pull.number for pull in run.pull_requests),
        head_branch=(run.check_suite.head_branch or "") if run.check_suite is not None else "",
    )


def _rerequest_suite(event: CheckSuiteEvent, delivery: str) -> RerequestRequest:
    suite = event.check_suite
    return RerequestRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        repo_id=event.repository.id,
        repo_full_name=event.repository.full_name,
        head_sha=suite.head_sha,
        app_id=suite.app.id,
        sender=event.sender.login if event.sender is not None else "",
        pulls=tuple(pull.number for pull in suite.pull_requests),
        head_branch=suite.head_branch or "",
    )


def _merge_group(event: MergeGroupEvent, delivery: str, *, destroyed: bool) -> MergeGroupRequest:
    return MergeGroupRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        repo_id=event.repository.id,
        repo_full_name=event.repository.full_name,
        head_sha=event.merge_group.head_sha,
        base_sha=event.merge_group.base_sha,
        base_ref=event.merge_group.base_ref.removeprefix("refs/heads/"),
        destroyed=destroyed,
    )


def _push(event: PushEvent, delivery: str) -> PushRequest | Ignored:
    branch = event.ref.removeprefix("refs/heads/")
    if branch == event.ref or branch != event.repository.default_branch:
        return Ignored("a push beside the default branch; its pull request reports itself")
    if event.deleted:
        return Ignored("the branch was deleted")
    return PushRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        repo_id=event.repository.id,
        repo_full_name=event.repository.full_name,
        branch=branch,
        before=event.before,
        after=event.after,
    )


def _installation(event: InstallationEvent, delivery: str, action: str) -> InstallationRequest:
    listed = _pairs(event.repositories)
    gone = action == "deleted"
    return InstallationRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        change=_CHANGES[action],
        account=event.installation.account.login if event.installation.account is not None else "",
        added=() if gone else listed,
        removed=listed if gone else (),
        all_repositories=event.installation.repository_selection == "all",
    )


def _repositories(event: InstallationRepositoriesEvent, delivery: str) -> InstallationRequest:
    return InstallationRequest(
        delivery=delivery,
        installation_id=event.installation.id,
        change="repositories",
        account=event.installation.account.login if event.installation.account is not None else "",
        added=_pairs(event.repositories_added),
        removed=_pairs(event.repositories_removed),
        all_repositories=event.installation.repository_selection == "all",
    )


def _pairs(repositories: tuple[ShortRepository, ...] | None) -> tuple[tuple[int, str], ...]:
    return tuple((repository.id, repository.full_name) for repository in repositories or ())
