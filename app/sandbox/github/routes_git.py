"""Endpoints of repositories and their git content: repo, branches, refs, commits, compare, trees, blobs, contents."""

from __future__ import annotations

import posixpath
import re

from app.sandbox.github.errors import GitHubError, malformed, not_found
from app.sandbox.github.git_diff import EMPTY_TREE, ahead_behind, commits_between, find_changes, merge_base
from app.sandbox.github.git_objects import Entry, is_sha
from app.sandbox.github.records import Json
from app.sandbox.github.routing import Call, Endpoint, Reply, page_links, page_of, paged
from app.sandbox.github.shapes_accounts import full_repo_json, node_id, repo_url, repo_web
from app.sandbox.github.shapes_git import (
    blob_json,
    change_json,
    commit_json,
    content_json,
    encoded,
    tree_entry_json,
)

_BLOB_LIMIT = 100_000_000


def resolve(call: Call, ref: str) -> str:
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


def _repo(call: Call) -> Reply:
    return Reply(full_repo_json(call.state, call.repo))


def _branches(call: Call) -> Reply:
    heads = sorted(call.state.git(call.repo).branches().items())
    return paged(call, heads, lambda row: _short_branch(call, row[0], row[1]))


def _short_branch(call: Call, name: str, sha: str) -> Json:
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


def _branch(call: Call) -> Reply:
    name = str(call.params["branch"])
    git = call.state.git(call.repo)
    sha = git.branch_head(name)
    if sha is None:
        raise GitHubError(404, "Branch not found")
    links = {"self": f"{repo_url(call.state, call.repo)}/branches/{name}"}
    links["html"] = f"{repo_web(call.state, call.repo)}/tree/{name}"
    commit = commit_json(call.state, call.repo, git.commit(sha))
    return Reply({**_short_branch(call, name, sha), "commit": commit, "_links": links})


def _git_ref(call: Call) -> Reply:
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


def _commit(call: Call) -> Reply:
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


def _compare(call: Call) -> Reply:
    """Three dots: from the merge base to head. Files (at most 300) only on page 1; 250 commits without paging."""
    left, dots, right = str(call.params["basehead"]).partition("...")
    if not dots:
        raise not_found()
    git, limits = call.state.git(call.repo), call.state.limits
    base, head = _compared(call, left), _compared(call, right)
    start = merge_base(git, base, head)
    if start is None:
        raise GitHubError(404, f"No common ancestor between {left} and {right}.")
    ahead, behind = ahead_behind(git, base, head)
    status = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    fresh = commits_between(git, base, head)
    if "page" in call.query or "per_page" in call.query:
        page, per_page = page_of(call.query)
        shown, headers = fresh[(page - 1) * per_page : page * per_page], page_links(call, len(fresh))
    else:
        page, shown, headers = 1, fresh[-limits.compare_commits :], {}
    named = [commit_json(call.state, call.repo, commit) for commit in git.commits([base, start, *shown])]
    files = find_changes(git, start, head, patch_bytes=limits.patch_bytes)[: limits.compare_files] if page == 1 else []
    url, web = repo_url(call.state, call.repo), repo_web(call.state, call.repo)
    owner = call.repo.owner.login
    body = {
        "url": f"{url}/compare/{left}...{right}",
        "html_url": f"{web}/compare/{left}...{right}",
        "permalink_url": f"{web}/compare/{owner}:{base[:7]}...{owner}:{head[:7]}",
        "diff_url": f"{web}/compare/{left}...{right}.diff",
        "patch_url": f"{web}/compare/{left}...{right}.patch",
        "base_commit": named[0],
        "merge_base_commit": named[1],
        "status": status,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": named[2:],
        "files": [change_json(call.state, call.repo, change, head) for change in files],
    }
    return Reply(body, headers=headers)


def _compared(call: Call, name: str) -> str:
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


def _tree(call: Call) -> Reply:
    git, name, limits = call.state.git(call.repo), str(call.params["sha"]), call.state.limits
    sha = name if git.type_of(name) == "tree" else resolve(call, name)
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


def _blob(call: Call) -> Reply:
    git, sha = call.state.git(call.repo), str(call.params["sha"])
    if not is_sha(sha):
        raise malformed("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    if git.type_of(sha) != "blob":
        raise not_found()
    data = git.blob(sha)
    if len(data) > _BLOB_LIMIT:
        raise GitHubError(403, "This API returns blobs up to 100 MB in size.")
    if re.search(r"\braw\b", call.accept):
        return Reply(data, media_type="application/vnd.github.raw")
    return Reply(blob_json(call.state, call.repo, sha, data))


def _contents(call: Call) -> Reply:
    """A file, or a directory's entries. Above 1 MB a file has no content in JSON; above 100 MB it is refused."""
    ref = call.query.get("ref") or call.repo.default_branch
    sha = call.state.git(call.repo).resolve(ref) or (resolve(call, ref) if is_sha(ref) else None)
    if sha is None:
        raise GitHubError(404, f"No commit found for the ref {ref}")
    path = str(call.params.get("path", "")).strip("/")
    entry = _followed(call, sha, path)
    if entry is None or entry.type == "tree":
        return _directory(call, sha, path, ref)
    body = content_json(call.state, call.repo, entry, ref)
    if entry.type == "commit":
        return Reply({**body, "submodule_git_url": None})
    data = call.state.git(call.repo).blob(entry.sha)
    if len(data) > _BLOB_LIMIT:
        raise GitHubError(403, "This API returns blobs up to 100 MB in size.")
    if re.search(r"\braw\b", call.accept):
        return Reply(data, media_type="application/vnd.github.raw; charset=utf-8")
    if entry.mode == "120000":
        return Reply({**body, "target": data.decode(errors="replace")})
    if len(data) > call.state.limits.contents_bytes:
        return Reply({**body, "content": "", "encoding": "none"})
    return Reply({**body, "content": encoded(data), "encoding": "base64"})


def _followed(call: Call, sha: str, path: str) -> Entry | None:
    """The entry at a path; a symlink to a file inside of the repository is answered with that file. None: the root."""
    if not path:
        return None
    git = call.state.git(call.repo)
    entry = git.entry(sha, path)
    if entry is None:
        raise not_found()
    if entry.mode == "120000":
        target = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), git.blob(entry.sha).decode(errors="replace"))
        )
        inside = None if target.startswith(("/", "..")) else git.entry(sha, target)
        if inside is not None and inside.type == "blob" and inside.mode != "120000":
            return Entry(path, inside.mode, inside.type, inside.sha, inside.size)
    return entry


def _directory(call: Call, sha: str, path: str, ref: str) -> Reply:
    git = call.state.git(call.repo)
    rows = git.entries(f"{sha}:{path}")[: call.state.limits.directory_entries]
    prefix = f"{path}/" if path else ""
    whole = [Entry(f"{prefix}{row.path}", row.mode, row.type, row.sha, row.size) for row in rows]
    listed = [content_json(call.state, call.repo, entry, ref) for entry in whole]
    if "object" not in call.accept:
        return Reply(listed)
    tree = git.line("rev-parse", "--verify", "--quiet", f"{sha}:{path}") or ""
    root = content_json(call.state, call.repo, Entry(path, "040000", "tree", tree, None), ref)
    return Reply({**root, "entries": listed})


_READ = ("contents=read",)
ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}", _repo, ("metadata=read",)),
    Endpoint("GET", "/repos/{owner}/{repo}/branches", _branches, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/branches/{branch:path}", _branch, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/git/ref/{ref:path}", _git_ref, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/git/trees/{sha:path}", _tree, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/git/blobs/{sha}", _blob, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/compare/{basehead:path}", _compare, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/contents", _contents, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/contents/{path:path}", _contents, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{ref:path}", _commit, _READ),
)
