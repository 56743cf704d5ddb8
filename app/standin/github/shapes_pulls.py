"""JSON of pull requests and issue comments. Shapes: pull-request, pull-request-simple, issue-comment of OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass

from app.standin.github.records import Account, Comment, Json, PullRecord, RepoRecord, ReviewComment
from app.standin.github.shapes_accounts import account_json, app_json, node_id, repo_json, repo_url, repo_web, stamp
from app.standin.github.state import State

_LINKS = {"self": "", "commits": "/commits", "review_comments": "/comments", "review_comment": "/comments{/number}"}


@dataclass(frozen=True, slots=True)
class Measure:
    """What only the single pull request carries."""

    additions: int
    deletions: int
    changed_files: int
    commits: int
    mergeable: bool | None
    mergeable_state: str


def _side(state: State, repo: RepoRecord | None, owner: Account, ref: str, sha: str) -> Json:
    """`head` or `base`; the repository is null when the fork was deleted."""
    return {
        "label": f"{owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": account_json(state, owner),
        "repo": None if repo is None else repo_json(state, repo),
    }


def head_repo(state: State, pull: PullRecord) -> RepoRecord | None:
    return state.repos.get(pull.head_repo_id) if pull.head_repo_id is not None else None


def association(repo: RepoRecord, account: Account) -> str:
    """How an author relates to the repository; the sandbox's users with admin rights are the organization's owners."""
    if account is repo.owner:
        return "OWNER"
    return "NONE" if account.type == "Bot" else "MEMBER" if account.admin else "CONTRIBUTOR"


def pull_json(state: State, pull: PullRecord, *, head_sha: str | None = None) -> Json:
    """A pull request as listings carry it. `head_sha`: answer an older head, as GitHub's replicas do after a push."""
    url, web = f"{repo_url(state, pull.repo)}/pulls/{pull.number}", f"{repo_web(state, pull.repo)}/pull/{pull.number}"
    issue = f"{repo_url(state, pull.repo)}/issues/{pull.number}"
    statuses = f"{repo_url(state, pull.repo)}/statuses/{head_sha or pull.head_sha}"
    links = {name: {"href": f"{url}{suffix}"} for name, suffix in _LINKS.items()}
    links |= {"html": {"href": web}, "issue": {"href": issue}, "comments": {"href": f"{issue}/comments"}}
    links |= {"statuses": {"href": statuses}}
    return {
        "url": url,
        "id": pull.id,
        "node_id": node_id("PR", pull.id),
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "issue_url": issue,
        "number": pull.number,
        "state": pull.state,
        "locked": False,
        "active_lock_reason": None,
        "title": pull.title,
        "user": account_json(state, pull.user),
        "body": pull.body,
        "labels": [],
        "created_at": stamp(pull.created_at),
        "updated_at": stamp(pull.updated_at),
        "closed_at": stamp(pull.closed_at),
        "merged_at": stamp(pull.merged_at),
        "merge_commit_sha": pull.merge_commit_sha,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "requested_reviewers": [],
        "requested_teams": [],
        "draft": pull.draft,
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": f"{repo_url(state, pull.repo)}/pulls/comments{{/number}}",
        "comments_url": f"{issue}/comments",
        "statuses_url": statuses,
        "head": _side(state, head_repo(state, pull), pull.head_owner, pull.head_ref, head_sha or pull.head_sha),
        "base": _side(state, pull.repo, pull.repo.owner, pull.base_ref, pull.base_sha),
        "_links": links,
        "author_association": association(pull.repo, pull.user),
        "auto_merge": None,
    }


def full_pull_json(state: State, pull: PullRecord, measure: Measure, *, head_sha: str | None = None) -> Json:
    """A pull request as `GET pulls/{n}` and the webhooks carry it."""
    merged_by = None if pull.merged_by is None else account_json(state, pull.merged_by)
    return {
        **pull_json(state, pull, head_sha=head_sha),
        "merged": pull.merged_at is not None,
        "mergeable": measure.mergeable,
        "rebaseable": measure.mergeable,
        "mergeable_state": measure.mergeable_state,
        "merged_by": merged_by,
        "comments": len(state.comments_on(pull.repo, pull.number)),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": measure.commits,
        "additions": measure.additions,
        "deletions": measure.deletions,
        "changed_files": measure.changed_files,
    }


def issue_json(state: State, pull: PullRecord) -> Json:
    """A pull request seen as an issue, as `issue_comment` events and `GET issues/{n}` carry it."""
    whole = pull_json(state, pull)
    url = f"{repo_url(state, pull.repo)}/issues/{pull.number}"
    kept = ("id", "node_id", "html_url", "number", "state", "locked", "active_lock_reason", "title", "user", "labels")
    more = ("body", "created_at", "updated_at", "closed_at", "assignee", "assignees", "milestone", "author_association")
    return {
        "url": url,
        "repository_url": repo_url(state, pull.repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        **{name: whole[name] for name in (*kept, *more)},
        "comments": len(state.comments_on(pull.repo, pull.number)),
        "draft": pull.draft,
        "state_reason": None,
        "performed_via_github_app": None,
        "reactions": _reactions(url),
        "pull_request": {name: whole[name] for name in ("url", "html_url", "diff_url", "patch_url", "merged_at")},
    }


def _reactions(url: str) -> Json:
    kinds = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(kinds, 0)}


def comment_json(state: State, comment: Comment) -> Json:
    url = f"{repo_url(state, comment.repo)}/issues/comments/{comment.id}"
    return {
        "url": url,
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "html_url": f"{repo_web(state, comment.repo)}/pull/{comment.number}#issuecomment-{comment.id}",
        "issue_url": f"{repo_url(state, comment.repo)}/issues/{comment.number}",
        "user": account_json(state, comment.user),
        "created_at": stamp(comment.created_at),
        "updated_at": stamp(comment.updated_at),
        "author_association": association(comment.repo, comment.user),
        "body": comment.body,
        "reactions": _reactions(url),
        "performed_via_github_app": None if comment.app is None else app_json(state, comment.app),
    }


def review_comment_json(state: State, comment: ReviewComment) -> Json:
    url = f"{repo_url(state, comment.repo)}/pulls/comments/{comment.id}"
    web = f"{repo_web(state, comment.repo)}/pull/{comment.number}"
    return {
        "url": url,
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "pull_request_review_id": None,
        "diff_hunk": "",
        "path": comment.path,
        "commit_id": "",
        "original_commit_id": "",
        "user": account_json(state, comment.user),
        "body": comment.body,
        "created_at": stamp(comment.created_at),
        "updated_at": stamp(comment.created_at),
        "html_url": f"{web}#discussion_r{comment.id}",
        "pull_request_url": f"{repo_url(state, comment.repo)}/pulls/{comment.number}",
        "author_association": association(comment.repo, comment.user),
        "_links": {"self": {"href": url}, "html": {"href": web}, "pull_request": {"href": url}},
        "line": comment.line,
        "start_line": comment.start,
        "side": "RIGHT",
        "reactions": _reactions(url),
        "performed_via_github_app": None if comment.app is None else app_json(state, comment.app),
    }
