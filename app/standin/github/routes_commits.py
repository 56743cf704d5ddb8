"""Endpoints of commits: one, many, and what lies between two of them."""

from __future__ import annotations

from app.standin.github.errors import GitHubError, not_found
from app.standin.github.git_diff import EMPTY_TREE, ahead_behind, commits_between, find_changes, merge_base
from app.standin.github.git_objects import is_sha
from app.standin.github.records import Json
from app.standin.github.routes_git import resolve
from app.standin.github.routing import Endpoint, Reply, RestCall, page_links, page_of, paged
from app.standin.github.shapes_accounts import repo_url, repo_web
from app.standin.github.shapes_git import change_json, commit_json, git_commit_json


def _commits(call: RestCall) -> Reply:
    """Newest first from `sha` (default branch), only those that touch `path`."""
    git = call.state.git(call.repo)
    start = resolve(call, call.query.get("sha") or call.repo.default_branch)
    only = ("--", call.query["path"]) if call.query.get("path") else ()
    shas = git.run("--literal-pathspecs", "rev-list", start, *only).decode().split()
    reply = paged(call, shas, lambda sha: sha)
    rows = [commit_json(call.state, call.repo, commit) for commit in git.commits(reply.body)]
    return Reply(rows, headers=reply.headers)


def _git_commit(call: RestCall) -> Reply:
    sha, git = str(call.params["sha"]), call.state.git(call.repo)
    if not is_sha(sha) or git.type_of(sha) != "commit":
        raise not_found()
    return Reply(git_commit_json(call.state, call.repo, git.commit(sha)))


def _commit(call: RestCall) -> Reply:
    git = call.state.git(call.repo)
    sha = resolve(call, str(call.params["ref"]))
    if "vnd.github.sha" in call.accept:
        return Reply(sha.encode(), media_type="application/vnd.github.sha")
    commit = git.commit(sha)
    before = commit.parents[0] if commit.parents else EMPTY_TREE
    changes = find_changes(git, before, sha, patch_bytes=call.state.limits.patch_bytes)
    added, removed = sum(c.additions for c in changes), sum(c.deletions for c in changes)
    page, per_page = page_of({"per_page": "100", **call.query})
    shown = changes[(page - 1) * per_page : page * per_page]
    return Reply({
        **commit_json(call.state, call.repo, commit),
        "stats": {"total": added + removed, "additions": added, "deletions": removed},
        "files": [change_json(call.state, call.repo, change, sha) for change in shown],
    })  # fmt: skip


def _compare(call: RestCall) -> Reply:
    """Three dots: from the merge base to head. Files (at most 300) only on page 1; 250 commits without paging."""
    left, dots, right = str(call.params["basehead"]).partition("...")
    if not dots:
        raise not_found()
    git = call.state.git(call.repo)
    base, head = _compared(call, left), _compared(call, right)
    start = merge_base(git, base, head)
    if start is None:
        raise GitHubError(404, f"No common ancestor between {left} and {right}.")
    fresh = commits_between(git, base, head)
    paging = "page" in call.query or "per_page" in call.query
    page, per_page = page_of(call.query)
    unpaged = fresh[-call.state.limits.compare_commits :]
    shown = fresh[(page - 1) * per_page : page * per_page] if paging else unpaged
    named = [commit_json(call.state, call.repo, commit) for commit in git.commits([base, start, *shown])]
    body = {
        **_compare_links(call, (left, right), (base, head)),
        "base_commit": named[0],
        "merge_base_commit": named[1],
        **_distance(call, base, head),
        "commits": named[2:],
        "files": _compared_files(call, start, head) if page == 1 or not paging else [],
    }
    return Reply(body, headers=page_links(call, len(fresh)) if paging else {})


def _compare_links(call: RestCall, names: tuple[str, str], shas: tuple[str, str]) -> Json:
    web, owner = f"{repo_web(call.state, call.repo)}/compare", call.repo.owner.login
    named = "...".join(names)
    return {
        "url": f"{repo_url(call.state, call.repo)}/compare/{named}",
        "html_url": f"{web}/{named}",
        "permalink_url": f"{web}/{owner}:{shas[0][:7]}...{owner}:{shas[1][:7]}",
        "diff_url": f"{web}/{named}.diff",
        "patch_url": f"{web}/{named}.patch",
    }


def _distance(call: RestCall, base: str, head: str) -> Json:
    ahead, behind = ahead_behind(call.state.git(call.repo), base, head)
    status = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    return {"status": status, "ahead_by": ahead, "behind_by": behind, "total_commits": ahead}


def _compared_files(call: RestCall, start: str, head: str) -> list[Json]:
    limits = call.state.limits
    changes = find_changes(call.state.git(call.repo), start, head, patch_bytes=limits.patch_bytes)
    return [change_json(call.state, call.repo, change, head) for change in changes[: limits.compare_files]]


def _compared(call: RestCall, name: str) -> str:
    """One side: a ref, a SHA, or `owner:ref` of a repository in the network."""
    owner, colon, ref = name.partition(":")
    if not colon:
        try:
            return resolve(call, name)
        except GitHubError as error:
            raise not_found() from error
    other = next((r for r in call.state.network(call.repo) if r.owner.login.lower() == owner.lower()), None)
    found = None if other is None else call.state.git(other).resolve(ref.rsplit(":", 1)[-1])
    if other is None or found is None:
        raise not_found()
    call.state.git(call.repo).fetch(call.state.git(other), found)
    return found


_READ = ("contents=read",)
ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/commits", _commits, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/git/commits/{sha}", _git_commit, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/compare/{basehead:path}", _compare, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{ref:path}", _commit, _READ),
)
