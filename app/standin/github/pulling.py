"""What happens to pull requests, with the events that follow: opened, edited, closed, reopened, merged, commented.

Both the REST endpoints and the control API call these; the caller holds the state's lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.standin.github.errors import invalid
from app.standin.github.events import Events
from app.standin.github.git_diff import commits_between
from app.standin.github.merging import MergeAsk, merge_pull
from app.standin.github.pushing import Move, after_push, close, set_head
from app.standin.github.records import Account, AppRecord, Comment, PullRecord, RepoRecord
from app.standin.github.state import State


@dataclass(frozen=True, slots=True)
class Opening:
    """A pull request to open: from a branch of `source` (the repository itself, or a fork) into `base` of `repo`."""

    repo: RepoRecord
    source: RepoRecord
    head: str
    base: str
    title: str
    body: str | None
    user: Account
    draft: bool = False


def open_pull(state: State, events: Events, opening: Opening) -> PullRecord:
    """Open it; 422 without a branch, without a new commit, or when there is one already."""
    repo, git = opening.repo, state.git(opening.repo)
    base_sha, head_sha = git.branch_head(opening.base), state.git(opening.source).branch_head(opening.head)
    if base_sha is None or head_sha is None:
        raise invalid("PullRequest", "base" if base_sha is None else "head", "invalid")
    git.fetch(state.git(opening.source), head_sha)
    _refuse_needless(state, opening, fresh=commits_between(git, base_sha, head_sha))
    repo.last_number += 1
    now = state.now()
    pull = PullRecord(
        id=state.next_id("pull"),
        number=repo.last_number,
        repo=repo,
        user=opening.user,
        title=opening.title,
        body=opening.body,
        head_repo_id=opening.source.id,
        head_owner=opening.source.owner,
        head_ref=opening.head,
        head_sha=head_sha,
        base_ref=opening.base,
        base_sha=base_sha,
        created_at=now,
        updated_at=now,
        draft=opening.draft,
    )
    state.pulls[repo.id, pull.number] = pull
    set_head(state, pull, head_sha)
    events.pull_request("opened", pull, opening.user)
    return pull


def _refuse_needless(state: State, opening: Opening, *, fresh: list[str]) -> None:
    for other in state.pulls_of(opening.repo):
        same = (other.head_repo_id, other.head_ref, other.base_ref) == (opening.source.id, opening.head, opening.base)
        if other.state == "open" and same:
            label = f"{opening.source.owner.login}:{opening.head}"
            raise invalid("PullRequest", "head", "custom", f"A pull request already exists for {label}.")
    if not fresh:
        raise invalid("PullRequest", "head", "custom", f"No commits between {opening.base} and {opening.head}")


def edit_pull(
    state: State,
    events: Events,
    pull: PullRecord,
    sender: Account,
    *,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
) -> None:
    """Change title, body or base; the event says what it was before."""
    changes: dict[str, Any] = {}
    if title is not None and title != pull.title:
        changes["title"], pull.title = {"from": pull.title}, title
    if body is not None and body != pull.body:
        changes["body"], pull.body = {"from": pull.body}, body
    if base is not None and base != pull.base_ref:
        base_sha = state.git(pull.repo).branch_head(base)
        if base_sha is None:
            raise invalid("PullRequest", "base", "invalid")
        changes["base"] = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        pull.base_ref, pull.base_sha = base, base_sha
    if changes:
        pull.updated_at = state.now()
        events.pull_request("edited", pull, sender, changes=changes)


def set_draft(state: State, events: Events, pull: PullRecord, sender: Account, *, draft: bool) -> None:
    if pull.draft != draft:
        pull.draft, pull.updated_at = draft, state.now()
        events.pull_request("converted_to_draft" if draft else "ready_for_review", pull, sender)


def close_pull(state: State, events: Events, pull: PullRecord, sender: Account) -> None:
    """Close it unmerged."""
    if pull.state == "open":
        close(state, pull)
        events.pull_request("closed", pull, sender)


def reopen_pull(state: State, events: Events, pull: PullRecord, sender: Account) -> None:
    """Open it again at the head its branch has now; 422 when it was merged or its branch is gone."""
    source = state.repos.get(pull.head_repo_id) if pull.head_repo_id is not None else None
    head = None if source is None else state.git(source).branch_head(pull.head_ref)
    if pull.merged_at is not None or head is None:
        raise invalid("PullRequest", "state", "invalid", "state cannot be changed.")
    pull.state, pull.closed_at = "open", None
    set_head(state, pull, head)
    events.pull_request("reopened", pull, sender)


def merge(state: State, events: Events, pull: PullRecord, actor: Account, ask: MergeAsk) -> str:
    """Merge it and move its base branch; the commit. Raises 405 and 409 as `PUT pulls/{n}/merge` answers."""
    before, after = merge_pull(state, pull, actor, ask)
    events.pull_request("closed", pull, actor)
    after_push(state, events, Move(pull.repo, pull.base_ref, before, after, actor))
    return after


def add_comment(
    state: State, events: Events, pull: PullRecord, user: Account, body: str, app: AppRecord | None
) -> Comment:
    now = state.now()
    comment = Comment(state.next_id("comment"), pull.repo, pull.number, user, body, now, now, app)
    state.comments[comment.id] = comment
    pull.updated_at = now
    events.issue_comment("created", comment, user)
    return comment


def last_app_of(state: State, repo: RepoRecord, context: str) -> int | None:
    """The App that last set a check of this name here; None when nobody did."""
    runs = [run for run in state.runs.values() if run.repo is repo and run.name == context]
    return max(runs, key=lambda run: run.id).app.id if runs else None
