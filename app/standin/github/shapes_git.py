"""JSON of git content: commits, diff entries, trees, blobs, files. Shapes: GitHub's OpenAPI description."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from urllib.parse import quote

from app.standin.github.git_diff import Change
from app.standin.github.git_objects import CommitData, Entry
from app.standin.github.records import Account, Json, RepoRecord
from app.standin.github.shapes_accounts import account_json, node_id, repo_url, repo_web, stamp
from app.standin.github.state import State


def encoded(data: bytes) -> str:
    """Base64 in lines of 60 characters, as GitHub wraps it."""
    flat = base64.b64encode(data).decode()
    return "".join(f"{flat[at : at + 60]}\n" for at in range(0, len(flat), 60))


def _person(person: tuple[str, str, int]) -> Json:
    name, email, seconds = person
    return {"name": name, "email": email, "date": stamp(datetime.fromtimestamp(seconds, UTC))}


def _account_of(state: State, person: tuple[str, str, int]) -> Account | None:
    """The account behind a commit: the login in a users.noreply.github.com address."""
    local, _, domain = person[1].partition("@")
    return state.accounts.get(local.split("+")[-1].lower()) if domain == "users.noreply.github.com" else None


def commit_json(state: State, repo: RepoRecord, commit: CommitData) -> Json:
    url, web = repo_url(state, repo), repo_web(state, repo)
    author, committer = _account_of(state, commit.author), _account_of(state, commit.committer)
    verification = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    return {
        "sha": commit.sha,
        "node_id": node_id("C", commit.sha),
        "commit": {
            "author": _person(commit.author),
            "committer": _person(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
            "url": f"{url}/git/commits/{commit.sha}",
            "comment_count": 0,
            "verification": verification,
        },
        "url": f"{url}/commits/{commit.sha}",
        "html_url": f"{web}/commit/{commit.sha}",
        "comments_url": f"{url}/commits/{commit.sha}/comments",
        "author": None if author is None else account_json(state, author),
        "committer": None if committer is None else account_json(state, committer),
        "parents": [
            {"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{web}/commit/{sha}"} for sha in commit.parents
        ],
    }


def git_commit_json(state: State, repo: RepoRecord, commit: CommitData) -> Json:
    """A commit as the git database API answers it."""
    whole = commit_json(state, repo, commit)
    inner = {key: value for key, value in whole["commit"].items() if key not in ("url", "comment_count")}
    return {
        "sha": commit.sha,
        "node_id": whole["node_id"],
        "url": whole["commit"]["url"],
        "html_url": whole["html_url"],
    } | {
        **inner,
        "parents": whole["parents"],
    }


def hook_commit_json(commit: CommitData) -> Json:
    """A commit as push, check_suite and merge_group payloads carry it (`head_commit`)."""
    author, committer = _person(commit.author), _person(commit.committer)
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": committer["date"],
        "author": {"name": author["name"], "email": author["email"]},
        "committer": {"name": committer["name"], "email": committer["email"]},
    }


def change_json(state: State, repo: RepoRecord, change: Change, sha: str) -> Json:
    """A diff entry; `sha` is the commit whose content the links show."""
    url, web, path = repo_url(state, repo), repo_web(state, repo), quote(change.path)
    entry: Json = {
        "sha": change.sha,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{web}/blob/{sha}/{path}",
        "raw_url": f"{web}/raw/{sha}/{path}",
        "contents_url": f"{url}/contents/{path}?ref={sha}",
    }
    if change.patch is not None:
        entry["patch"] = change.patch
    if change.previous is not None:
        entry["previous_filename"] = change.previous
    return entry


def tree_entry_json(state: State, repo: RepoRecord, entry: Entry) -> Json:
    kind = {"tree": "trees", "blob": "blobs"}.get(entry.type)
    row: Json = {"path": entry.path, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
    if entry.size is not None:
        row["size"] = entry.size
    if kind is not None:  # a submodule's commit lives elsewhere: no url
        row["url"] = f"{repo_url(state, repo)}/git/{kind}/{entry.sha}"
    return row


def blob_json(state: State, repo: RepoRecord, sha: str, data: bytes) -> Json:
    return {
        "sha": sha,
        "node_id": node_id("B", f"{repo.id}:{sha}"),
        "size": len(data),
        "url": f"{repo_url(state, repo)}/git/blobs/{sha}",
        "content": encoded(data),
        "encoding": "base64",
    }


def content_json(state: State, repo: RepoRecord, entry: Entry, ref: str) -> Json:
    """A file, directory, symlink or submodule as the contents API lists it; the file's own content is added elsewhere."""
    name = entry.path.rsplit("/", 1)[-1]
    kind = {"tree": "dir", "commit": "submodule"}.get(entry.type, "symlink" if entry.mode == "120000" else "file")
    path = quote(entry.path)
    url = f"{repo_url(state, repo)}/contents/{path}?ref={quote(ref, safe='')}"
    git = (
        None
        if kind == "submodule"
        else f"{repo_url(state, repo)}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.sha}"
    )
    html = f"{repo_web(state, repo)}/{'tree' if kind == 'dir' else 'blob'}/{quote(ref)}/{path}"
    return {
        "name": name,
        "path": entry.path,
        "sha": entry.sha,
        "size": entry.size or 0,
        "url": url,
        "html_url": html,
        "git_url": git,
        "download_url": f"{repo_web(state, repo)}/raw/{quote(ref)}/{path}" if kind == "file" else None,
        "type": kind,
        "_links": {"self": url, "git": git, "html": html},
    }
