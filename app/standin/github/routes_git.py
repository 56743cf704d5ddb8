"""Endpoints of a repository, its branches, refs and trees; and how a name becomes a commit."""

from __future__ import annotations

from app.standin.github.errors import GitHubError, not_found
from app.standin.github.git_objects import is_sha
from app.standin.github.records import Json
from app.standin.github.routing import Endpoint, Reply, RestCall, paged
from app.standin.github.shapes_accounts import full_repo_json, node_id, repo_url, repo_web
from app.standin.github.shapes_git import (
    commit_json,
    tree_entry_json,
)


def resolve(call: RestCall, ref: str) -> str:
    """The commit a ref or SHA names, also one that only a fork has: a network shares its objects. Raises 404, 422."""
    git = call.state.git(call.repo)
    found = git.resolve(ref)
    if found is None and is_sha(ref):
        for other in call.state.network(call.repo):
            if call.state.git(other).type_of(ref) == "commit":
                git.fetch(call.state.git(other), ref)
                return ref
    if found is None:
        raise GitHubError(422, f"No commit found for SHA: {ref}") if is_sha(ref) else not_found()
    return found


def resolve_tree(call: RestCall, ref: str) -> str:
    """As `resolve`, for what is read as files: there a commit that is not known is 404, as everything else that is not there."""
    try:
        return resolve(call, ref)
    except GitHubError as error:
        raise not_found() from error


def _repo(call: RestCall) -> Reply:
    return Reply(full_repo_json(call.state, call.repo))


def _branches(call: RestCall) -> Reply:
    heads = sorted(call.state.git(call.repo).branches().items())
    return paged(call, heads, lambda row: _short_branch(call, row[0], row[1]))


def _short_branch(call: RestCall, name: str, sha: str) -> Json:
    url = repo_url(call.state, call.repo)
    protection = call.repo.protections.get(name)
    contexts = [] if protection is None else [check.context for check in protection.checks]
    checks = [] if protection is None else [{"context": c.context, "app_id": c.app_id} for c in protection.checks]
    level = "off" if protection is None else "everyone" if protection.enforce_admins else "non_admins"
    return {
        "name": name,
        "commit": {"sha": sha, "url": f"{url}/commits/{sha}"},
        "protected": protection is not None,
        "protection": {
            "enabled": protection is not None,
            "required_status_checks": {"enforcement_level": level, "contexts": contexts, "checks": checks},
        },
        "protection_url": f"{url}/branches/{name}/protection",
    }


def _branch(call: RestCall) -> Reply:
    name = str(call.params["branch"])
    git = call.state.git(call.repo)
    sha = git.branch_head(name)
    if sha is None:
        raise GitHubError(404, "Branch not found")
    links = {"self": f"{repo_url(call.state, call.repo)}/branches/{name}"}
    links["html"] = f"{repo_web(call.state, call.repo)}/tree/{name}"
    commit = commit_json(call.state, call.repo, git.commit(sha))
    return Reply({**_short_branch(call, name, sha), "commit": commit, "_links": links})


def _git_ref(call: RestCall) -> Reply:
    name = str(call.params["ref"])
    git = call.state.git(call.repo)
    sha = git.ref(name)
    if sha is None:
        raise not_found()
    url = repo_url(call.state, call.repo)
    target = {"sha": sha, "type": git.type_of(sha), "url": f"{url}/git/commits/{sha}"}
    ref = f"refs/{name}"
    return Reply({
        "ref": ref,
        "node_id": node_id("REF", f"{call.repo.id}:{ref}"),
        "url": f"{url}/git/{ref}",
        "object": target,
    })  # fmt: skip


def _tree(call: RestCall) -> Reply:
    git, name, limits = call.state.git(call.repo), str(call.params["sha"]), call.state.limits
    sha = name if git.type_of(name) == "tree" else resolve_tree(call, name)
    entries = git.entries(sha, recursive="recursive" in call.query)
    rows, size, truncated = [], 0, len(entries) > limits.tree_entries
    for entry in entries[: limits.tree_entries]:
        row = tree_entry_json(call.state, call.repo, entry)
        size += len(entry.path) + len(row.get("url", "")) + 120
        if size > limits.tree_bytes:
            truncated = True
            break
        rows.append(row)
    url = f"{repo_url(call.state, call.repo)}/git/trees/{sha}"
    return Reply({"sha": sha, "url": url, "tree": rows, "truncated": truncated})


_READ = ("contents=read",)
ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}", _repo, ("metadata=read",)),
    Endpoint("GET", "/repos/{owner}/{repo}/branches", _branches, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/branches/{branch:path}", _branch, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/git/ref/{ref:path}", _git_ref, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/git/trees/{sha:path}", _tree, _READ),
)
