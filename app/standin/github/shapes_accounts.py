"""JSON of accounts, Apps, installations and repositories, with GitHub's field names.

Source of the shapes: GitHub's published OpenAPI description (simple-user, integration, installation, full-repository).
"""

from __future__ import annotations

import base64
from datetime import datetime

from app.standin.github.records import Account, AppRecord, InstallationRecord, Json, RepoRecord
from app.standin.github.state import State

_REPO_LINKS = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
    "downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}",
    "languages_url": "/languages", "merges_url": "/merges", "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}", "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}  # fmt: skip
_USER_LINKS = {
    "followers_url": "/followers", "following_url": "/following{/other_user}", "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}", "subscriptions_url": "/subscriptions", "organizations_url": "/orgs",
    "repos_url": "/repos", "events_url": "/events{/privacy}", "received_events_url": "/received_events",
}  # fmt: skip


def node_id(kind: str, number: int | str) -> str:
    """An opaque global id."""
    return f"{kind}_{base64.urlsafe_b64encode(f'{kind}{number}'.encode()).decode().rstrip('=')}"


def stamp(when: datetime | None) -> str | None:
    """GitHub's timestamps: UTC, whole seconds, Z."""
    return None if when is None else when.strftime("%Y-%m-%dT%H:%M:%SZ")


def account_json(state: State, account: Account) -> Json:
    url = f"{state.api_url}/users/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id(account.type[0], account.id),
        "avatar_url": f"{state.web_url}/avatars/{account.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{state.web_url}/{account.login}",
        **{name: f"{url}{suffix}" for name, suffix in _USER_LINKS.items()},
        "type": account.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def app_json(state: State, app: AppRecord) -> Json:
    """An App as it appears in check runs and at `GET /app`."""
    return {
        "id": app.id,
        "client_id": app.client_id,
        "slug": app.slug,
        "node_id": node_id("A", app.id),
        "owner": account_json(state, app.owner),
        "name": app.name,
        "description": "",
        "external_url": f"{state.web_url}/{app.owner.login}",
        "html_url": f"{state.web_url}/apps/{app.slug}",
        "created_at": stamp(app.created_at),
        "updated_at": stamp(app.created_at),
        "permissions": {"metadata": "read", **app.permissions},
        "events": list(app.events),
    }


def installation_json(state: State, installation: InstallationRecord) -> Json:
    by = installation.suspended_by
    account = installation.account
    kind = "organizations" if account.type == "Organization" else "users"
    return {
        "id": installation.id,
        "account": account_json(state, account),
        "repository_selection": installation.repository_selection,
        "access_tokens_url": f"{state.api_url}/app/installations/{installation.id}/access_tokens",
        "repositories_url": f"{state.api_url}/installation/repositories",
        "html_url": f"{state.web_url}/{kind}/{account.login}/settings/installations/{installation.id}",
        "app_id": installation.app.id,
        "client_id": installation.app.client_id,
        "app_slug": installation.app.slug,
        "target_id": account.id,
        "target_type": account.type,
        "permissions": {"metadata": "read", **installation.permissions},
        "events": list(installation.events),
        "created_at": stamp(installation.created_at),
        "updated_at": stamp(installation.updated_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None if by is None else account_json(state, by),
        "suspended_at": stamp(installation.suspended_at),
    }


def repo_url(state: State, repo: RepoRecord) -> str:
    return f"{state.api_url}/repos/{repo.full_name}"


def repo_web(state: State, repo: RepoRecord) -> str:
    return f"{state.web_url}/{repo.full_name}"


def repo_short(repo: RepoRecord) -> Json:
    """The five fields of the installation events."""
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }


def repo_json(state: State, repo: RepoRecord) -> Json:
    """A repository as listings, pull requests and webhooks carry it."""
    url, web = repo_url(state, repo), repo_web(state, repo)
    host = state.web_url.split("://", 1)[-1]
    forks = sum(1 for other in list(state.repos.values()) if other.fork_of == repo.id)
    opened = sum(1 for pull in state.pulls_of(repo) if pull.state == "open")
    return {
        **repo_short(repo),
        "owner": account_json(state, repo.owner),
        "html_url": web,
        "description": None,
        "fork": repo.fork_of is not None,
        "url": url,
        **{name: f"{url}{suffix}" for name, suffix in _REPO_LINKS.items()},
        "created_at": stamp(repo.created_at),
        "updated_at": stamp(repo.updated_at),
        "pushed_at": stamp(repo.pushed_at),
        "git_url": f"git://{host}/{repo.full_name}.git",
        "ssh_url": f"git@{host}:{repo.full_name}.git",
        "clone_url": f"{web}.git",
        "svn_url": web,
        "homepage": None,
        "size": 1,
        "language": None,
        "stargazers_count": 0,
        "watchers_count": 0,
        "watchers": 0,
        "mirror_url": None,
        "license": None,
        "topics": [],
        "has_issues": True,
        "has_projects": True,
        "has_downloads": True,
        "has_wiki": True,
        "has_pages": False,
        "has_discussions": False,
        "archived": repo.archived,
        "disabled": False,
        "allow_forking": True,
        "forks": forks,
        "forks_count": forks,
        "open_issues": opened,
        "open_issues_count": opened,
        "is_template": False,
        "web_commit_signoff_required": False,
        "visibility": repo.visibility,
        "default_branch": repo.default_branch,
    }


def full_repo_json(state: State, repo: RepoRecord) -> Json:
    """A repository as `GET /repos/{owner}/{repo}` answers it; a fork names its parent."""
    parent = state.repos.get(repo.fork_of) if repo.fork_of is not None else None
    lineage = {} if parent is None else {"parent": repo_json(state, parent), "source": repo_json(state, parent)}
    organization = {"organization": account_json(state, repo.owner)} if repo.owner.type == "Organization" else {}
    flags = {"allow_squash_merge": True, "allow_merge_commit": True, "allow_rebase_merge": True}
    return {
        **repo_json(state, repo),
        **flags,
        "allow_auto_merge": False,
        "delete_branch_on_merge": False,
        "allow_update_branch": False,
        "network_count": len(state.network(repo)) - 1,
        "subscribers_count": 0,
        "temp_clone_token": None,
        **organization,
        **lineage,
    }
