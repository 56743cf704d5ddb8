"""Whether a pull request may be merged, how large it is, and the merge itself.

Source of the rules: docs.github.com, "Troubleshooting required status checks" (success, neutral and skipped pass; a check
and a status of one name are both required; the latest head counts) and the description of `PUT pulls/{n}/merge`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.standin.github.errors import GitHubError, malformed
from app.standin.github.git_diff import EMPTY_TREE, commits_between, find_changes, merge_base
from app.standin.github.git_merge import Signature, commit_tree, merge_commits, rebase
from app.standin.github.records import Account, Protection, PullRecord, Required
from app.standin.github.shapes_pulls import Measure
from app.standin.github.state import State

PASSING = frozenset({"success", "neutral", "skipped"})
Outcome: TypeAlias = Literal["passes", "is failing", "is in progress", "is expected"]
METHODS = ("merge", "squash", "rebase")


@dataclass(frozen=True, slots=True)
class MergeAsk:
    """What the caller of a merge may choose. `sha`: the head they saw."""

    sha: str | None = None
    method: str = "merge"
    title: str | None = None
    message: str | None = None


def pull_base(state: State, pull: PullRecord) -> str:
    """The commit a pull request's diff starts from: the merge base, or the empty tree without common history."""
    return merge_base(state.git(pull.repo), pull.base_sha, pull.head_sha) or EMPTY_TREE


def measure(state: State, pull: PullRecord, *, mergeable: bool | None = None) -> Measure:
    """Counts of a pull request. `mergeable` as far as it is known."""
    git, start = state.git(pull.repo), pull_base(state, pull)
    changes = find_changes(git, start, pull.head_sha, patch_bytes=0)
    return Measure(
        additions=sum(change.additions for change in changes),
        deletions=sum(change.deletions for change in changes),
        changed_files=len(changes),
        commits=len(commits_between(git, pull.base_sha, pull.head_sha)),
        mergeable=mergeable,
        mergeable_state=_mergeable_state(state, pull, mergeable=mergeable),
    )


def compute_mergeable(state: State, pull: PullRecord) -> bool | None:
    """None on the first question about this head and base, as GitHub computes it in the background; then the answer."""
    base = state.git(pull.repo).branch_head(pull.base_ref)
    if pull.state == "closed" or base is None:
        return None
    if pull.merge_inputs == (base, pull.head_sha):
        return pull.mergeable
    with state.lock:
        pull.merge_inputs = (base, pull.head_sha)
        pull.mergeable = merge_commits(state.git(pull.repo), base, pull.head_sha) is not None
    return None


def _mergeable_state(state: State, pull: PullRecord, *, mergeable: bool | None) -> str:
    if mergeable is None:
        return "unknown"
    if not mergeable:
        return "dirty"
    if pull.draft:
        return "draft"
    protection = pull.repo.protections.get(pull.base_ref)
    if protection is None:
        return "clean"
    if any(outcome(state, pull, required) != "passes" for required in protection.checks):
        return "blocked"
    return "behind" if protection.strict and not _up_to_date(state, pull) else "clean"


def outcome(state: State, pull: PullRecord, required: Required) -> Outcome:
    """How a required check stands on the pull request's present head; a source other than the pinned App never counts."""
    found: list[Outcome] = []
    names = [run for run in state.latest_runs_on(pull.repo, pull.head_sha) if run.name == required.context]
    for run in names:
        if required.app_id in (None, run.app.id):
            concluded = run.status == "completed"
            found.append(("passes" if run.conclusion in PASSING else "is failing") if concluded else "is in progress")
    for status in state.statuses_on(pull.repo, pull.head_sha):
        pinned_away = required.app_id is not None and (status.app is None or status.app.id != required.app_id)
        if status.context == required.context and not pinned_away:
            known: dict[str, Outcome] = {"success": "passes", "pending": "is in progress"}
            found.append(known.get(status.state, "is failing"))
            break  # only the newest of a context counts
    if not found:
        return "is expected"
    return max(found, key=("passes", "is in progress", "is failing").index)


def refuse_merge(state: State, pull: PullRecord, actor: Account, ask: MergeAsk) -> None:
    """Raise 405 or 409 when this pull request may not be merged now."""
    _refuse_unready(pull)
    if ask.sha is not None and ask.sha != pull.head_sha:
        raise GitHubError(409, "Head branch was modified. Review and try the merge again.")
    protection = pull.repo.protections.get(pull.base_ref)
    if protection is not None and (protection.enforce_admins or not actor.admin):
        _refuse_protected(state, pull, protection)


def find_refusal(state: State, pull: PullRecord) -> str | None:
    """What keeps whoever is no administrator from merging now, in GitHub's words; None when nothing does."""
    protection = pull.repo.protections.get(pull.base_ref)
    try:
        _refuse_unready(pull)
        if protection is not None:
            _refuse_protected(state, pull, protection)
    except GitHubError as refused:
        return refused.message
    base = state.git(pull.repo).branch_head(pull.base_ref)
    if base is None or merge_commits(state.git(pull.repo), base, pull.head_sha) is None:
        return "This branch has conflicts that must be resolved."
    return None


def _refuse_unready(pull: PullRecord) -> None:
    if pull.state == "closed":
        raise GitHubError(405, "Pull Request is not mergeable")
    if pull.draft:
        raise GitHubError(405, "Pull Request is still a draft")


def _refuse_protected(state: State, pull: PullRecord, protection: Protection) -> None:
    for required in protection.checks:
        how = outcome(state, pull, required)
        if how != "passes":
            raise GitHubError(405, f'Required status check "{required.context}" {how}.')
    if protection.strict and not _up_to_date(state, pull):
        raise GitHubError(405, "Head branch is out of date. Update the branch and try the merge again.")


def _up_to_date(state: State, pull: PullRecord) -> bool:
    git = state.git(pull.repo)
    base = git.branch_head(pull.base_ref)
    return base is not None and merge_base(git, base, pull.head_sha) == base


def merge_pull(state: State, pull: PullRecord, actor: Account, ask: MergeAsk) -> tuple[str, str]:
    """Merge and close; (base before, base after). The caller announces it. Raises 405, 409, 422."""
    if ask.method not in METHODS:
        raise malformed(f"{ask.method} is not a member of {list(METHODS)}.")
    refuse_merge(state, pull, actor, ask)
    git = state.git(pull.repo)
    base = git.branch_head(pull.base_ref)
    if base is None:
        raise GitHubError(404, "Base does not exist")
    who = Signature(actor.login, f"{actor.id}+{actor.login}@users.noreply.github.com", state.clock.now())
    after = _merged_commit(state, pull, base, who, ask)
    if after is None:
        raise GitHubError(405, "Pull Request is not mergeable")
    git.set_ref(f"refs/heads/{pull.base_ref}", after)
    pull.state, pull.merged_by, pull.merge_commit_sha = "closed", actor, after
    pull.merged_at = pull.closed_at = pull.updated_at = state.now()
    return base, after


def _merged_commit(state: State, pull: PullRecord, base: str, who: Signature, ask: MergeAsk) -> str | None:
    git = state.git(pull.repo)
    if ask.method == "rebase":
        return rebase(git, base, pull.head_sha, who)
    tree = merge_commits(git, base, pull.head_sha)
    if tree is None:
        return None
    if ask.method == "squash":
        title = ask.title or f"{pull.title} (#{pull.number})"
        return commit_tree(git, tree, (base,), f"{title}\n\n{ask.message or ''}".strip(), who)
    title = ask.title or f"Merge pull request #{pull.number} from {pull.head_owner.login}/{pull.head_ref}"
    body = pull.title if ask.message is None else ask.message
    return commit_tree(git, tree, (base, pull.head_sha), f"{title}\n\n{body}".strip(), who)
