"""What follows from a branch having moved: the push event, pull requests that got a new head or are merged now, suites.

`after_push` is told of every move, whoever caused it: a push, a merge, a deleted branch. Order of the events as GitHub
usually sends them (push, pull_request, check_suite); clients must not rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.standin.github.events import Events
from app.standin.github.git_diff import EMPTY_TREE, commits_between, find_changes, merge_base
from app.standin.github.git_objects import CommitData
from app.standin.github.records import ZERO_SHA, Account, AppRecord, CheckSuite, Json, PullRecord, RepoRecord
from app.standin.github.shapes_accounts import account_json, repo_json, repo_web
from app.standin.github.shapes_git import hook_commit_json
from app.standin.github.state import State

PUSH_COMMITS = 2_048


@dataclass(frozen=True, slots=True)
class Move:
    """A branch went from `before` to `after`; 40 zeros: it did not exist, or does no more."""

    repo: RepoRecord
    branch: str
    before: str
    after: str
    sender: Account


def after_push(state: State, events: Events, move: Move) -> None:
    """Update whatever depends on the branch, and announce all of it."""
    move.repo.pushed_at = move.repo.updated_at = state.now()
    events.announce("push", _push_json(state, move), move.repo, move.sender)
    for pull in list(state.pulls.values()):
        if pull.state == "open" and pull.head_repo_id == move.repo.id and pull.head_ref == move.branch:
            _moved_head(state, events, pull, move)
    for pull in state.pulls_of(move.repo):
        if pull.state == "open" and pull.base_ref == move.branch and move.after != ZERO_SHA:
            _moved_base(state, events, pull, move)
    if move.after != ZERO_SHA:
        _request_suites(state, events, move)


def _moved_head(state: State, events: Events, pull: PullRecord, move: Move) -> None:
    if move.after == ZERO_SHA:
        close(state, pull)
        events.pull_request("closed", pull, move.sender)
        return
    set_head(state, pull, move.after)
    events.pull_request("synchronize", pull, move.sender, before=move.before, after=move.after)


def set_head(state: State, pull: PullRecord, sha: str) -> None:
    """The pull request has a new head: its objects and refs/pull/N/head go into the repository of the base."""
    git = state.git(pull.repo)
    source = state.repos.get(pull.head_repo_id) if pull.head_repo_id is not None else None
    if source is not None and source is not pull.repo:
        git.fetch(state.git(source), sha)
    git.set_ref(f"refs/pull/{pull.number}/head", sha)
    pull.head_sha, pull.merge_commit_sha = sha, None
    pull.base_sha = git.branch_head(pull.base_ref) or pull.base_sha
    pull.updated_at = state.now()


def _moved_base(state: State, events: Events, pull: PullRecord, move: Move) -> None:
    """A head that the base contains now is merged, however it came there."""
    if merge_base(state.git(move.repo), move.after, pull.head_sha) == pull.head_sha:
        pull.merged_by, pull.merge_commit_sha = move.sender, move.after
        close(state, pull)
        pull.merged_at = pull.closed_at
        events.pull_request("closed", pull, move.sender)


def close(state: State, pull: PullRecord) -> None:
    pull.state = "closed"
    pull.closed_at = pull.updated_at = state.now()


def find_suite(state: State, app: AppRecord, repo: RepoRecord, sha: str) -> CheckSuite:
    """The one suite of an App on a commit, made when there is none; its branch is null for a fork's commit."""
    found = next((s for s in list(state.suites.values()) if (s.app, s.repo, s.head_sha) == (app, repo, sha)), None)
    if found is None:
        branch = next((name for name, head in state.git(repo).branches().items() if head == sha), None)
        found = CheckSuite(state.next_id("suite"), app, repo, sha, branch, state.now(), state.now())
        state.suites[found.id] = found
    return found


def _request_suites(state: State, events: Events, move: Move) -> None:
    message = state.git(move.repo).commit(move.after).message
    if "skip-checks: true" in message:
        return
    for installation in state.installations_on(move.repo):
        if installation.permissions.get("checks") == "write":
            suite = find_suite(state, installation.app, move.repo, move.after)
            suite.before = move.before
            events.check_suite("requested", suite, move.sender)


def _push_json(state: State, move: Move) -> Json:
    git, web = state.git(move.repo), repo_web(state, move.repo)
    created, deleted = move.before == ZERO_SHA, move.after == ZERO_SHA
    fresh = [] if deleted else commits_between(git, _known(state, move), move.after)[-PUSH_COMMITS:]
    commits = [_push_commit(state, move.repo, commit) for commit in git.commits(fresh)]
    head = None if deleted else _push_commit(state, move.repo, git.commit(move.after))
    forced = not created and not deleted and merge_base(git, move.before, move.after) != move.before
    owner = {**account_json(state, move.repo.owner), "name": move.repo.owner.login, "email": None}
    epochs: dict[str, Any] = {
        "created_at": int(move.repo.created_at.timestamp()),
        "pushed_at": int(move.repo.pushed_at.timestamp()),
        "master_branch": move.repo.default_branch,
        "stargazers": 0,
        "owner": owner,
    }
    return {
        "ref": f"refs/heads/{move.branch}",
        "before": move.before,
        "after": move.after,
        "repository": {**repo_json(state, move.repo), **epochs},
        "pusher": {"name": move.sender.login, "email": f"{move.sender.login}@users.noreply.github.com"},
        "created": created,
        "deleted": deleted,
        "forced": forced,
        "base_ref": None,
        "compare": f"{web}/compare/{move.before[:12]}...{move.after[:12]}",
        "commits": commits,
        "head_commit": head,
    }


def _known(state: State, move: Move) -> str:
    """What was there before: for a new branch the default branch, whose commits are not announced again."""
    if move.before != ZERO_SHA:
        return move.before
    default = state.git(move.repo).branch_head(move.repo.default_branch)
    return default if default is not None and move.branch != move.repo.default_branch else move.after


def _push_commit(state: State, repo: RepoRecord, commit: CommitData) -> Json:
    parent = commit.parents[0] if commit.parents else EMPTY_TREE
    changes = find_changes(state.git(repo), parent, commit.sha, patch_bytes=0)
    return {
        **hook_commit_json(commit),
        "distinct": True,
        "url": f"{repo_web(state, repo)}/commit/{commit.sha}",
        "added": [c.path for c in changes if c.status in {"added", "renamed", "copied"}],
        "removed": [c.previous or c.path for c in changes if c.status in {"removed", "renamed"}],
        "modified": [c.path for c in changes if c.status in {"modified", "changed"}],
    }
